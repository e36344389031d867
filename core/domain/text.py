"""Text that everything downstream can take."""


def well_formed(text: str) -> str:
    """Half of a surrogate pair, which no file and no database takes, becomes the replacement character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def first_words(text: str, most: int) -> str:
    """The beginning of a text on one line, at most so many characters of it."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
