"""Files in, passages out; and the search index over them. Imports nothing of ours."""
