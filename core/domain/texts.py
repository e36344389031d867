"""Every fixed sentence that a person can meet. `[texts]` in the settings replaces any of them by its name."""

from collections.abc import Mapping
from types import MappingProxyType

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "queue_full": "{n} messages already wait here. I did not take this one; please send it again later.",
        "stopped": "Stopped.",
        "stopped_dropped": "Stopped. {n} waiting messages dropped.",
        "nothing_runs": "Nothing is running here.",
        "stop_not_yours": "Only {name} or an owner can do that.",
        "new": "New conversation.",
        "resume_which": "Which one? /resume N; /sessions lists them.",
        "resumed": "Conversation {n} goes on: {words}",
        "resumed_already": "Conversation {n} is the current one.",
        "session_unknown": "There is no conversation {n} here. /sessions lists them.",
        "session_empty": "(nothing said yet)",
        "undone": "Undone: {words}",
        "nothing_to_undo": "There is nothing to undo.",
        "nothing_to_retry": "There is nothing to try again.",
        "working": "Working: {step}",
        "thinking": "thinking",
        "still_working": "Still working on this.",
        "queued": "queued, {n} before it",
        "away": "I was away from {a} to {b}; {n} older messages here are not answered. /retry answers the last one.",
        "interrupted": "I was interrupted while {tool} ran and cannot tell whether it happened. Run it again?",
        "interrupted_again": "Run again",
        "interrupted_leave": "Leave it",
        "failed": "I could not answer this: {cause}. /retry tries again. ({id})",
        "approval": "May I run {tool} for {name}?",
        "approval_how": "/approve {id}, /approve {id} always or /deny {id} decide it too.",
        "approval_usage": "Say /approve ID, /approve ID always, or /deny ID.",
        "approval_not_yours": "Only an approver can decide this.",
        "approve_once": "Once",
        "approve_always": "Always",
        "approve_deny": "Deny",
        "cause_unreachable": "the model is not reachable",
        "cause_refused": "the model refused",
        "cause_no_answer": "the model gave no answer",
        "cause_too_long": "this is longer than the model can read",
        "cause_no_progress": "no progress after {n} steps",
        "cause_limit": "limit of {what} reached",
        "cause_internal": "an internal error",
        "unknown_command": "I do not know {command}. Did you mean {nearest}? /help lists what I understand.",
        "command_broke": "{command} did not work: an internal error.",
        "undelivered": "{n} earlier replies did not reach you; the newest follows.",
        "possible_repeat": "(possible repeat) ",
        "placeholder": "…",
        "file_too_large": "{name} is too large to be sent here.",
        "file_not_sent": "I could not send the file {name}: {why}",
        "file_missing": "{name} could not be read, so it is not here.",
        "answer_until": "Answer until {time}.",
        "answer_otherwise": "Otherwise: {default}.",
        "question_reminder": "Still waiting for your answer: {question}",
        "question_answered": "{question}: {answer} ({name})",
        "question_cancelled": "{question}: cancelled",
        "question_expired": "{question}: no answer in time, went on with {default}",
        "question_expired_bare": "{question}: no answer in time",
        "question_closed": "This question is closed.",
        "which_question": "Several questions are open here: reply to the one you mean, or use its buttons.",
        "question_not_yours": "This question is for {name}.",
        "pairing": "I do not know you yet. Ask the owner to run: parley pairing approve {code} (valid 1 hour).",
        "members_only": "Only members can do that.",
        "refusal": "I may not answer you here.",
        "waiting_for": "I am waiting for {name}'s answer first; your message is number {n}.",
        "queue_unknown": "There is no queue mode {name}. /queue lists them.",
        "queue_set": "The queue mode of this chat is now {name}.",
        "steer_empty": "Write behind it what to steer to, as in /steer shorter, please.",
        "model_unknown": "There is no model {name}. /model lists them.",
        "model_set": "This chat now uses {name}.",
        "model_default": "This chat now uses the default model, {name}.",
    }
)


class Texts:
    """The texts in force: the shipped ones, some of them replaced."""

    def __init__(self, replaced: Mapping[str, str]) -> None:
        self._texts = {**TEXTS, **replaced}

    def say(self, text: str, /, **values: object) -> str:
        """The text of that name with its places filled."""
        return self._texts[text].format(**values)
