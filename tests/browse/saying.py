"""What a page says."""

WORDS = """() => {
    const said = [document.title];
    const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const parent = texts.currentNode.parentElement;
        if (!parent.closest("script, style, code, form.languages")) said.push(texts.currentNode.data);
    }
    const named = ["aria-label", "aria-description", "aria-valuetext", "title", "alt", "placeholder"];
    const within = (value) => value === Object(value) ? Object.values(value).flatMap(within) : [String(value)];
    for (const each of document.querySelectorAll("*")) {
        if (each.closest("form.languages")) continue;
        for (const name of named) said.push(each.getAttribute(name) ?? "");
        for (const [name, value] of Object.entries(each.dataset)) {
            if (["part", "move", "thing", "drop", "key", "drawn"].includes(name)) continue;
            const words = /^[{[]/.test(value) ? within(JSON.parse(value)) : [value];
            said.push(...words.filter((word) => / /.test(word)));
        }
    }
    return said.map((each) => each.trim()).filter(Boolean);
}"""
"""All that a page says: its title, its texts, its labels, and the words among its data."""

__all__ = ["WORDS"]
