"""HTTP: the JSON API and the pages. Holds no product logic."""
