"""From characters on a page to text in reading order: segments -> columns -> rows -> blocks."""
