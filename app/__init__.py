"""The product: accounts, collections, documents, questions; the only package that knows the database."""
