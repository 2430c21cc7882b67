"""The search index: vectors (FAISS), words (tantivy), generations on disk."""
