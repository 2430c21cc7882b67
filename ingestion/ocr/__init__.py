"""Text recognition by Tesseract: pictures of pages to words with boxes, laid out like the text of a PDF."""
