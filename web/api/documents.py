"""Documents: upload, states, revisions, originals, page pictures, passages, move, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from app.accounts.types import Viewer
from app.collections.access import find
from app.documents.delete import delete_document
from app.documents.move import move_document
from app.documents.read import counts, get_document, list_documents, neighbours, passage, revisions
from app.errors import BelegError
from app.services import Services
from web import downloads
from web.accepting import Accepted, accept_all
from web.api import document_shapes, present, shapes
from web.api.collections import CollectionId
from web.deps import ServicesDep, ViewerDep
from web.errors import problem_fields
from web.language import words_for

router = APIRouter(tags=["Documents"])
DocumentId = Annotated[str, Path(description="Id of the document.")]
_UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "folder": {"type": "string", "description": "Where the files after it stood in a folder."},
                        "files": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}},
                    },
                }
            }
        },
    }
}


@router.post(
    "/collections/{collection_id}/documents", status_code=201, summary="Upload one or many files", openapi_extra=_UPLOAD
)
async def upload(
    request: Request, services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId
) -> document_shapes.Uploaded:
    """Each file has its own outcome; one whose name and folder are known is the next revision of that document, or
    nothing new when its bytes are known, too. When none was accepted the reply is the first file's problem."""
    results = [result async for result in accept_all(request, services, viewer, collection_id)]
    accepted = [present.document(result.document, words_for(request)) for result in results if result.document]
    refused = [_not_accepted(request, result, result.error) for result in results if result.error]
    if not accepted and results[0].error:
        raise results[0].error
    unchanged = sum(one.existed for one in accepted)
    changed = sum(one.revision > 1 and not one.existed for one in accepted)
    return document_shapes.Uploaded(
        new=len(accepted) - changed - unchanged,
        changed=changed,
        unchanged=unchanged,
        documents=accepted,
        not_accepted=refused,
    )


def _not_accepted(request: Request, result: Accepted, error: BelegError) -> document_shapes.NotAccepted:
    problem = shapes.Problem.model_validate(problem_fields(request, error))
    return document_shapes.NotAccepted(name=result.name, folder=result.folder, problem=problem)


@router.get("/collections/{collection_id}/documents", summary="Documents with their states, newest first")
def list_all(
    request: Request,
    services: ServicesDep,
    viewer: ViewerDep,
    collection_id: CollectionId,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    attention: Annotated[bool, Query(description="Only those that somebody should look at.")] = False,
) -> document_shapes.DocumentList:
    """`total` counts what the whole list holds, with `attention` those that somebody should look at."""
    with services.database.session() as db:
        collection = find(db, viewer, collection_id)
        total = counts(db, viewer, collection_id).attention if attention else collection.documents
        views = list_documents(db, viewer, collection_id, limit=limit, offset=offset, attention=attention)
    words = words_for(request)
    return document_shapes.DocumentList(documents=[present.document(view, words) for view in views], total=total)


@router.get("/documents/{document_id}", summary="One document and how far reading it is")
def get_one(
    request: Request, services: ServicesDep, viewer: ViewerDep, document_id: DocumentId
) -> document_shapes.WholeDocument:
    """The id of an earlier revision goes on working: what answers cite can still be looked at."""
    return _whole(request, services, viewer, document_id)


@router.patch("/documents/{document_id}", summary="Rename, or move to another folder or collection")
def change(
    request: Request,
    services: ServicesDep,
    viewer: ViewerDep,
    document_id: DocumentId,
    given: document_shapes.DocumentChange,
) -> document_shapes.WholeDocument:
    """All revisions go with it, and what was attached to it. Nothing is read again."""
    move_document(services, viewer, document_id, name=given.name, folder=given.folder, collection_id=given.collection)
    return _whole(request, services, viewer, document_id)


def _whole(request: Request, services: Services, viewer: Viewer, document_id: str) -> document_shapes.WholeDocument:
    with services.database.session() as db:
        view = get_document(db, viewer, document_id)
        return present.whole_document(view, revisions(db, viewer, document_id), words_for(request))


@router.get(
    "/documents/{document_id}/original",
    summary="The file as it was uploaded",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
)
def get_original(services: ServicesDep, viewer: ViewerDep, document_id: DocumentId) -> Response:
    return downloads.original_file(services, viewer, document_id)


@router.get(
    "/documents/{document_id}/pages/{page}.png",
    summary="A page as a picture, 2 pixels a point",
    response_class=Response,
    responses={200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def get_page(
    services: ServicesDep,
    viewer: ViewerDep,
    document_id: DocumentId,
    page: Annotated[int, Path(ge=1, le=1_000_000)],
) -> Response:
    return await downloads.picture(services, viewer, document_id, page)


@router.get("/documents/{document_id}/passages/{ordinal}", summary="A passage and where its lines stand")
def get_passage(
    services: ServicesDep,
    viewer: ViewerDep,
    document_id: DocumentId,
    ordinal: Annotated[int, Path(ge=0, le=1_000_000_000)],
) -> document_shapes.Passage:
    return document_shapes.Passage.model_validate(passage(services, viewer, document_id, ordinal))


@router.get("/documents/{document_id}/passages/{ordinal}/neighbours", summary="What stands before and after a passage")
def get_neighbours(
    services: ServicesDep,
    viewer: ViewerDep,
    document_id: DocumentId,
    ordinal: Annotated[int, Path(ge=0, le=1_000_000_000)],
    before: Annotated[int, Query(ge=0, le=100)] = 1,
    after: Annotated[int, Query(ge=0, le=100)] = 1,
) -> document_shapes.Neighbours:
    found = neighbours(services, viewer, document_id, ordinal, before=before, after=after)
    return document_shapes.Neighbours.model_validate(found)


@router.delete(
    "/documents/{document_id}", status_code=204, summary="Delete with its revisions: no search finds it any more"
)
def delete(services: ServicesDep, viewer: ViewerDep, document_id: DocumentId) -> None:
    delete_document(services, viewer, document_id)
