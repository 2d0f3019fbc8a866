"""Pictures of figures, as SVG that a person can read."""

from html import escape


class Drawing:
    WIDTH = 760

    def __init__(self):
        self.marks, self.y = [], 26

    def text(self, content, x, y, anchor="start", weight="normal", size=12, colour=None):
        fill = f' style="fill: {colour}"' if colour else ""
        self.marks.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" font-size="{size}"{fill}>{escape(content)}</text>')

    def curve(self, points, colour):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.marks.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.5"/>')

    def svg(self, title, description):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.y}" role="img" '
                f'font-family="system-ui, sans-serif"><title>{escape(title)}</title><desc>{escape(description)}</desc>'
                f'<style>text {{ fill: #24292f }} svg {{ background: #ffffff }}</style>'
                f'<rect width="{self.WIDTH}" height="{self.y}" fill="#ffffff"/>' + "\n".join(self.marks) + "</svg>\n")
