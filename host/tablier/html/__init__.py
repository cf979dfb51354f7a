"""Documents of HTML, and boards as SVG in them: what a report and the pages of a server are both made of."""
