"""One parser a family of formats; each turns a file into pages of blocks."""
