"""What one message of Telegram can hold."""

from channels.contract import Limits, TextUnit
from channels.telegram.settings import CLOUD, CLOUD_UPLOAD_MB, MEGABYTE, TelegramSettings
from core.domain.pace import Once
from core.domain.presence import Rhythm

TEXT_LIMIT = 4_096
TYPING_S = 5.0
MOST_BUTTONS = 100
MOST_FILES = 10


def limits_of(settings: TelegramSettings) -> Limits:
    """As the Bot API has them; a server of one's own takes files as large as the settings say."""
    upload = CLOUD_UPLOAD_MB if settings.api_url == CLOUD else max(CLOUD_UPLOAD_MB, settings.file_mb)
    return Limits(
        text=TEXT_LIMIT,
        unit=TextUnit.UTF16,
        files=MOST_FILES,
        file_bytes=int(upload * MEGABYTE),
        buttons=MOST_BUTTONS,
        edits=True,
        threads=True,
        drafts=True,
        once=Once.PLACEHOLDER if settings.unsure == "placeholder-edit" else Once.REPEAT,
        rhythm=Rhythm(typing_s=TYPING_S),
    )
