"""Text that everything downstream can take."""


def well_formed(text: str) -> str:
    """NUL and half of a surrogate pair, which not every database takes, become the replacement character."""
    text = text.replace("\x00", "\ufffd")
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
