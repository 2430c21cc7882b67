"""One file a step; `0001` makes the first schema."""
