"""The client."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

from . import answers
from .autostart import Started, demanded_token, start
from .definitions import TOOL_NAMES, ToolFormat, tool_definitions
from .errors import ServiceError, Unavailable, UnburdenError
from .outage import Outage, remedy
from .plain import plain, plain_list
from .results import (
    Counted,
    Extracted,
    Grep,
    M,
    Offloaded,
    Page,
    Rehydrated,
    Stored,
    ToolResult,
    Totals,
    Validated,
)
from .settings import Format, Settings, check_settings
from .tool_calls import MAX_TOKENS, answered, parse_call
from .tool_names import collisions, named
from .transport import Transport, bearer

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_URL = "http://127.0.0.1:8002"
"""The default address of the service."""

_HEALTH_SECONDS = 2.0


class Unburden:
    """Makes agents' histories smaller and reads back the moved content. Thread-safe.

    `offload` fails open: if the service is down, slow or refuses, it returns the caller's own messages,
    with one warning for the whole outage. After a timeout it returns them for some seconds without
    asking. The other calls raise `UnburdenError`.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 2.0,
        fail_open: bool = True,
        on_warning: Callable[[str], None] | None = None,
        model: str | None = None,
        prefix: str = "",
        autostart: bool = False,
        **defaults: Unpack[Settings],
    ) -> None:
        """Opens no connection, except with `autostart`.

        Args:
            base_url: address of the service; else the environment's `UNBURDEN_URL`, else `DEFAULT_URL`.
            token: the bearer token, in printable ASCII; else the environment's `UNBURDEN_TOKEN`, else none.
                White space at its ends is left out.
            timeout: time limit of a whole call, in seconds.
            connect_timeout: time limit of a connection, in seconds.
            fail_open: if False, `offload` raises like the other calls.
            on_warning: receives the warnings of `offload`; by default the logger `unburden`.
            model: default model name, which selects the tokenizer.
            prefix: prefix of the retrieval tools' names, such as `unburden_`, for an agent that has its
                own tools named `read_file` or `grep`.
            autostart: starts the service if neither `base_url` nor `UNBURDEN_URL` names one. It may
                use `store_dir` only, which is then relative to this process's folder. Processes with
                the same `store_dir` share one service, and it ends with the last of them. If it ends
                earlier, the next call starts it again, at most every 10 s. `log` is the path of its log.
                Without `token`, the client sends the token of `UNBURDEN_SERVER__TOKEN` or
                `UNBURDEN_SERVER__TOKEN_FILE`, if the environment has one: the service requires it.
            **defaults: settings of every offload. `store_dir` is `./context_store` unless given.

        Raises:
            TypeError, ValueError: an argument is invalid.
            UnburdenError: the service cannot be started.
        """
        settings = check_settings(defaults)
        for name, seconds in (("timeout", timeout), ("connect_timeout", connect_timeout)):
            if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
                raise TypeError(f"{name} is {seconds!r}; accepted is a number of seconds")
            if not seconds > 0:
                raise ValueError(f"{name} is {seconds!r}; accepted is a number of seconds above 0")
        self.store_dir: str = settings.pop("store_dir", "./context_store")
        self.prefix = prefix
        self.reload_tools = named(settings.pop("reload_tools", TOOL_NAMES), prefix)
        self.fail_open = fail_open
        self.model = model
        self._defaults = settings
        self._timeout = float(timeout)
        url = base_url or os.environ.get("UNBURDEN_URL")
        if autostart and base_url:
            raise ValueError(f"autostart starts a service, and base_url names one, {base_url}; leave one out")
        token = bearer(token, "token")
        if autostart and not url:
            token = token or bearer(demanded_token(), "UNBURDEN_SERVER__TOKEN")
        token = token or bearer(os.environ.get("UNBURDEN_TOKEN"), "UNBURDEN_TOKEN")
        self._started: Started | None = None
        if autostart and not url:
            self.store_dir = os.path.abspath(self.store_dir)
            self._started = start(self.store_dir)
            url = self._started.url
        url = url or DEFAULT_URL
        self._transport = Transport(url, token, float(connect_timeout))
        self._outage = Outage(on_warning, remedy(url, self.log))
        self._collided: set[str] = set()
        self._totals = Totals()
        self._totals_lock = threading.Lock()

    @property
    def totals(self) -> Totals:
        """The totals of all offloads of this client. `Totals.plus` adds up those of one chat."""
        return self._totals

    @property
    def log(self) -> str | None:
        """The path of the log of the service that this client started; None if it started none."""
        return self._started.log if self._started else None

    def offload(
        self,
        messages: list[M],
        *,
        system: Any = None,
        tools: Any = None,
        model: str | None = None,
        format: Format | None = None,
        chat_id: str | None = None,
        **settings: Unpack[Settings],
    ) -> Offloaded[M]:
        """Returns the history for the next model call, smaller if it was too large.

        Args:
            messages: the whole history, oldest first, in any format that the service knows. SDK
                objects among them (pydantic models, dataclasses, anything with `to_dict()`) are
                returned as the same objects if the message did not change, else as dicts.
            system: the separate system prompt, if any; a snapshot may go there.
            tools: the tool definitions; their tokens count.
            model: the model name, which selects the tokenizer.
            format: format of `messages`; by default the service detects it.
            chat_id: name of the chat in the files of a compression.
            **settings: settings of this call, which override the client's; None resets one to the
                service's default.

        Raises:
            TypeError, ValueError: an argument is invalid.
            UnburdenError: with `fail_open=False`, if the service did not answer or refused.
        """
        body = self._offload_body(messages, settings)
        body.update(_given(model=_text("model", model) or self.model))
        body.update(_given(format=_format(format), chat_id=_text("chat_id", chat_id)))
        paused = self._outage.paused() if self.fail_open else None
        if paused:
            return unchanged(messages, system, paused)
        asked = monotonic()
        try:
            sent = plain_list(messages, "messages")
            given = plain(system, "system")
            body.update(_given(messages=sent, system=given, tools=plain(tools, "tools")))
            self._warn_of_collisions(body)
            envelope = self._post("/context_offload", body)
            result = answers.parsed(lambda e: answers.offloaded(e, messages, sent, system, given), envelope)
        except UnburdenError as error:
            if not self.fail_open:
                raise
            self._outage.failed(error, asked)
            return unchanged(messages, system, error)
        self._outage.over()
        if result.report is not None:
            with self._totals_lock:
                self._totals = self._totals.plus(result.report)
        return result

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        *,
        glob: str | None = None,
        limit: int | None = None,
        context: int | None = None,
        ignore_case: bool | None = None,
        literal: bool | None = None,
        max_tokens: int | None = None,
    ) -> Grep:
        """Returns the lines that match a regular expression.

        Args:
            pattern: regular expression in the syntax of the Rust `regex` crate.
            path: a file or folder; by default the client's `store_dir`.
            glob: selects the files to search.
            limit: maximum number of matching lines.
            context: number of lines before and after each match, at most 50.
            ignore_case: whether to ignore case; by default true.
            literal: whether `pattern` is literal text.
            max_tokens: maximum size of the text, in tokens.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask(
            "/grep",
            answers.grep,
            pattern=pattern,
            path=path or self.store_dir,
            glob=glob,
            limit=limit,
            context=context,
            ignore_case=ignore_case,
            literal=literal,
            max_tokens=max_tokens,
        )

    def read_file(
        self,
        path: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        byte_offset: int | None = None,
        byte_limit: int | None = None,
        max_tokens: int | None = None,
    ) -> Page:
        """Returns a page of a file.

        Args:
            path: the path in the reference.
            offset: the first line, from 0.
            limit: maximum number of lines.
            byte_offset: the first byte, from 0; instead of lines.
            byte_limit: maximum number of bytes.
            max_tokens: maximum size of the text, in tokens.

        Raises:
            UnburdenError: the service refused (`file_not_found`, `file_expired`, …) or did not answer.
        """
        return self._ask(
            "/read_file",
            answers.page,
            absolute_path=path,
            offset=offset,
            limit=limit,
            byte_offset=byte_offset,
            byte_limit=byte_limit,
            max_tokens=max_tokens,
        )

    def read_tool_result(
        self,
        result_id: str,
        *,
        lines: str | None = None,
        store_dir: str | None = None,
        max_tokens: int | None = None,
    ) -> ToolResult:
        """Returns a part of an earlier tool result.

        Args:
            result_id: the id of the call, the file's name with or without its ending, or its path.
            lines: `all` (default), `first:100`, `last:50`, `10-80`, `7`, `head_tail:20`, `grep:PATTERN`.
            store_dir: the folder in which ids and names are searched; by default the client's.
            max_tokens: maximum size of the text, in tokens.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask(
            "/read_tool_result",
            answers.tool_result,
            result_id=result_id,
            lines=lines,
            store_dir=store_dir or self.store_dir,
            max_tokens=max_tokens,
        )

    def extract(
        self,
        file_path: str,
        where: Mapping[str, Any] | None = None,
        *,
        ids: Sequence[str | int | float] | None = None,
        id_field: str | None = None,
        select: str | Sequence[str] | None = None,
        count: bool | None = None,
        group_by: str | None = None,
        sort_by: str | Sequence[str] | None = None,
        recipe: int | None = None,
        query: str | None = None,
        sql: str | None = None,
        slurp: bool | None = None,
        params: Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        max_tokens: int | None = None,
    ) -> Extracted:
        """Queries a file of records with `where`, `ids`, `sql`, `recipe` or `query`.

        Args:
            file_path: the path in the reference.
            where: a condition, such as `{"field": "priority", "op": ">", "value": 3}`.
            ids: the ids to look up.
            id_field: the field that holds the ids (`id`).
            select: the fields to show.
            count: whether to return only the number of records.
            group_by: the field whose values group and count the records.
            sort_by: the fields that sort the records; `-created` is newest first.
            recipe: the number of a recipe of the file, 1 to 10.
            query: a jq filter.
            sql: a SELECT over the table `records`, in SQLite's dialect.
            slurp: whether the filter runs once on an array of all records (True) or on each (False).
            params: values for `recipe` or `query`.
            limit: maximum number of records, groups or outputs.
            offset: number of records, groups or outputs to skip.
            max_tokens: maximum size of the text, in tokens (8000).

        Raises:
            UnburdenError: the service refused (`field_unknown`, `question_invalid`, …) or did not answer.
        """
        return self._ask(
            "/lro_extract",
            answers.extracted,
            file_path=file_path,
            where=where,
            ids=ids,
            id_field=id_field,
            select=select,
            count=count,
            group_by=group_by,
            sort_by=sort_by,
            recipe=recipe,
            query=query,
            sql=sql,
            slurp=slurp,
            params=params,
            limit=limit,
            offset=offset,
            max_tokens=max_tokens,
        )

    def offload_result(
        self,
        operation: str,
        *,
        results: Sequence[Any] | None = None,
        content: str | None = None,
        query: str | None = None,
        detail: str | None = None,
        threshold_tokens: int | None = None,
        ttl_seconds: int | None = None,
        output_dir: str | None = None,
        profile: Literal["general", "mif", "mif-6400"] | None = None,
        descriptor: Literal["full", "no_recipes", "no_schema", "compact", "pointer"] | None = None,
        score_field: str | None = None,
    ) -> Stored:
        """Moves a large result to a file of records before it enters a history.

        Args:
            operation: name of the tool that returned the result.
            results: the records; or
            content: the text.
            query: the question that the tool answered.
            detail: the level of detail of the records.
            threshold_tokens: maximum estimated tokens of a result that is returned inline.
            ttl_seconds: lifetime of the file after it was last returned, in seconds.
            output_dir: folder of the file; by default the client's `store_dir`.
            profile: selects the recipes and names.
            descriptor: level of detail of the descriptor; by default `compact`, with a profile `full`,
                as in its specification.
            score_field: the numeric field for the score range.

        Raises:
            TypeError: not exactly one of `results` and `content`.
            UnburdenError: the service refused or did not answer.
        """
        if (results is None) == (content is None):
            raise TypeError("exactly one of results and content is needed")
        if descriptor is None and profile in (None, "general"):
            descriptor = "compact"
        return self._ask(
            "/offload_result",
            answers.stored,
            operation=operation,
            results=results,
            content=content,
            query=query,
            detail=detail,
            threshold_tokens=threshold_tokens,
            ttl_seconds=ttl_seconds,
            output_dir=output_dir or self.store_dir,
            profile=profile,
            descriptor=descriptor,
            score_field=score_field,
            reload_tools=self.reload_tools,
        )

    def count_tokens(
        self,
        messages: Sequence[Any],
        *,
        tools: Any = None,
        system: Any = None,
        model: str | None = None,
        format: Format | None = None,
    ) -> Counted:
        """Counts the tokens of a history.

        Args:
            messages: the history.
            tools: tool definitions; their tokens count, too.
            system: the separate system prompt; its tokens count, too.
            model: the model name, which selects the tokenizer.
            format: format of `messages`.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask(
            "/count_tokens",
            answers.counted,
            messages=messages,
            tools=tools,
            system=system,
            model=model or self.model,
            format=_format(format),
        )

    def validate(self, messages: Sequence[Any], *, format: Format | None = None) -> Validated:
        """Lists the parts of a history that a provider would reject.

        Args:
            messages: the history.
            format: format of `messages`.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask("/validate", answers.validated, messages=messages, format=_format(format))

    def rehydrate(
        self, messages: Sequence[Any], system: Any = None, *, format: Format | None = None
    ) -> Rehydrated:
        """Restores the original history.

        Args:
            messages: the messages that `offload` returned.
            system: the system prompt that `offload` returned.
            format: format of `messages`.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask(
            "/rehydrate", answers.rehydrated, messages=messages, system=system, format=_format(format)
        )

    def healthy(self) -> bool:
        """Returns whether the service runs. Takes at most two seconds; never raises."""
        try:
            return self._current().get("/healthz", min(self._timeout, _HEALTH_SECONDS)) == 200
        except UnburdenError:
            return False

    def tool_definitions(self, format: ToolFormat) -> list[dict[str, Any]]:
        """Returns the definitions of the client's retrieval tools for a provider, without a request.

        Args:
            format: `openai`, `openai-responses`, `anthropic`, `gemini` or `mcp`.

        Raises:
            ValueError: another format.
        """
        return tool_definitions(format, self.reload_tools)

    def run_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None, *, max_tokens: int = MAX_TOKENS
    ) -> str:
        """Runs a retrieval tool for a model. Never raises: an error is returned as a sentence.

        Args:
            name: name of the tool.
            arguments: arguments of the call, as an object or as JSON text.
            max_tokens: maximum size of the answer in tokens, unless the model requests less.

        Returns:
            The answer; the header of a truncated page says how to continue.
        """
        call = parse_call(name, arguments, self.store_dir, self.reload_tools, max_tokens)
        if isinstance(call, str):
            return call
        try:
            envelope = self._post(f"/{call.name}", call.body)
            return answers.parsed(lambda e: answered(call, e["answer"], e["metadata"]), envelope)
        except ServiceError as error:
            return error.message
        except UnburdenError as error:
            return f"what was stored cannot be read now: {error.message}"

    def close(self) -> None:
        """Closes the idle connections and releases the service that this client started."""
        self._transport.close()
        if self._started:
            self._started.release()
            self._started = None

    def __enter__(self) -> Unburden:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _offload_body(self, messages: Any, settings: Settings) -> dict[str, Any]:
        if not isinstance(messages, list):
            raise TypeError(f"messages is {type(messages).__name__}; accepted is a list, the whole history")
        body: dict[str, Any] = {
            "messages": messages,
            "store_dir": self.store_dir,
            "reload_tools": self.reload_tools,
            # They would double the size of an answer for no use.
            "include_files": False,
        }
        defaults = self._defaults.items()
        body.update({name: value for name, value in defaults if settings.get(name, value) is not None})
        body.update(check_settings(settings))
        if settings.get("reload_tools") is not None:
            body["reload_tools"] = named(body["reload_tools"], self.prefix)
        return body

    def _warn_of_collisions(self, body: Mapping[str, Any]) -> None:
        found = set(collisions(body.get("tools"), body["reload_tools"])) - self._collided
        if found:
            self._collided |= found
            self._outage.warn(
                f"the agent has tools of its own with the names of retrieval tools: "
                f'{", ".join(sorted(found))}; one of each two is lost. Set prefix="unburden_" for the '
                f"client, or leave these out of reload_tools and of the agent's tools"
            )

    def _current(self) -> Transport:
        """To the service's address, which changes when a client starts it again."""
        started = self._started
        if started and started.url != self._transport.url:
            old, self._transport = self._transport, self._transport.moved(started.url)
            old.close()
        return self._transport

    def _post(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        transport = self._current()
        try:
            return transport.post(route, body, self._timeout)
        except Unavailable as error:
            if error.code != "unreachable" or not self._restarted(transport.url, error):
                raise
        return self._current().post(route, body, self._timeout)

    def _restarted(self, url: str, found: Unavailable) -> bool:
        """Whether the service that this client started has another address than `url`, after it was
        started again where it had ended.

        Raises:
            Unavailable: it cannot be started again.
        """
        started = self._started
        if started is None:
            return False
        try:
            restarted = started.restart(url)
        except UnburdenError as error:
            message = f"{found.message}; it could not be started again: {error.message}"
            raise Unavailable(message, code=found.code) from error
        if restarted:
            news = f"the service at {url} has ended; started again at {started.url}"
            self._outage.warn(f"unburden: {news}. Its log: {started.log}")
        return restarted or started.url != url

    def _ask(self, route: str, parse: Callable[[answers.Envelope], answers.T], /, **body: Any) -> answers.T:
        body = {name: plain(value, name) for name, value in body.items()}
        return answers.parsed(parse, self._post(route, _given(**body)))


def unchanged(messages: list[M], system: Any, error: UnburdenError | None) -> Offloaded[M]:
    """The caller's own history, and why."""
    places: list[int | None] = list(range(len(messages)))
    return Offloaded(messages, system, None, "", False, error, places)


def _given(**body: Any) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _text(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is {value!r}; accepted is a string")


def _format(value: Any) -> str | None:
    if value is None or value in get_args(Format):
        return value  # type: ignore[no-any-return]
    raise ValueError(f"format is {value!r}; accepted is one of {', '.join(get_args(Format))}")
