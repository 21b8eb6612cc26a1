"""The client."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

from . import answers
from .autostart import Started, start
from .definitions import TOOL_NAMES, ToolFormat, tool_definitions
from .errors import ServiceError, UnburdenError
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
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_URL = "http://127.0.0.1:8002"
"""Where the service listens unless it is told otherwise."""

_HEALTH_SECONDS = 2.0


class Unburden:
    """Makes the histories of agents smaller, and reads back what left. Safe to use from several threads.

    `offload` fails open: where the service is down, slow or refuses, the caller's own messages come
    back with one warning for the whole outage. The other calls raise `UnburdenError`.
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
        """Connects to nothing yet, but for `autostart`.

        Args:
            base_url: of the service; else the environment's `UNBURDEN_URL`, else `DEFAULT_URL`.
            token: the bearer token; else the environment's `UNBURDEN_TOKEN`, else none.
            timeout: seconds for a whole call.
            connect_timeout: seconds for a connection.
            fail_open: False: `offload` raises as the other calls do.
            on_warning: gets the warnings of `offload`; by default the logger `unburden`.
            model: the name that picks the tokenizer, where a call names none.
            prefix: of the retrieval tools' names, such as `unburden_`: for an agent that has tools of
                its own named `read_file` or `grep`.
            autostart: starts the service where neither `base_url` nor `UNBURDEN_URL` names one. It may
                use `store_dir` only, which is then relative to this process's folder. Processes of the
                same `store_dir` share one service, and it ends with the last of them. `log` is the path
                of its log.
            **defaults: settings of every offload. `store_dir` is `./context_store` unless given.

        Raises:
            TypeError, ValueError: an argument that is none.
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
        self._started: Started | None = None
        if autostart and base_url:
            raise ValueError(f"autostart starts a service, and base_url names one, {base_url}; leave one out")
        if autostart and not url:
            self.store_dir = os.path.abspath(self.store_dir)
            self._started = start(self.store_dir)
            url = self._started.url
        url = url or DEFAULT_URL
        self._transport = Transport(url, token or os.environ.get("UNBURDEN_TOKEN"), float(connect_timeout))
        self._outage = Outage(on_warning, remedy(url, self.log))
        self._collided: set[str] = set()
        self._totals = Totals()
        self._totals_lock = threading.Lock()

    @property
    def totals(self) -> Totals:
        """The sums of all offloads of this client. `Totals.plus` sums up those of one chat."""
        return self._totals

    @property
    def log(self) -> str | None:
        """The path of the log of the service that this client started; None where it started none."""
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
        """A history to go on with, smaller where it was too large.

        Args:
            messages: the whole history, oldest first, in any format that the service knows. SDK
                objects among them – pydantic models, dataclasses, anything with `to_dict()` – come
                back as they are where the message did not change, else as dicts.
            system: the system prompt where it stands beside the messages; a snapshot may go there.
            tools: the tool definitions; counted, otherwise not looked at.
            model: the name that picks the tokenizer.
            format: of `messages`; by default the service finds it out.
            chat_id: names the files of a compression.
            **settings: for this call, before those of the client; None takes one of the client's back.

        Raises:
            TypeError, ValueError: an argument that is none.
            UnburdenError: with `fail_open=False`, where the service did not answer or refused.
        """
        body = self._offload_body(messages, settings)
        body.update(_given(model=_text("model", model) or self.model))
        body.update(_given(format=_format(format), chat_id=_text("chat_id", chat_id)))
        try:
            sent = plain_list(messages, "messages")
            given = plain(system, "system")
            body.update(_given(messages=sent, system=given, tools=plain(tools, "tools")))
            self._warn_of_collisions(body)
            envelope = self._transport.post("/context_offload", body, self._timeout)
            result = answers.parsed(lambda e: answers.offloaded(e, messages, sent, system, given), envelope)
        except UnburdenError as error:
            if not self.fail_open:
                raise
            self._outage.failed(error)
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
        """The lines that match a regular expression.

        Args:
            pattern: syntax of the Rust `regex` crate.
            path: a file or folder; by default the client's `store_dir`.
            glob: only files whose name matches.
            limit: the most matching lines.
            context: lines shown before and after each match, at most 50.
            ignore_case: by default true.
            literal: whether `pattern` is plain text.
            max_tokens: ceiling of the text.

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
        """A page of a file.

        Args:
            path: as a reference spells it.
            offset: the first line, from 0.
            limit: the most lines.
            byte_offset: instead of lines: the first byte, from 0.
            byte_limit: the most bytes.
            max_tokens: ceiling of the text.

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
        """A part of an earlier tool result.

        Args:
            result_id: the id of the call, the file's name with or without its ending, or its path.
            lines: `all` (default), `first:100`, `last:50`, `10-80`, `7`, `head_tail:20`, `grep:PATTERN`.
            store_dir: where ids and names are looked for; by default the client's.
            max_tokens: ceiling of the text.

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
        """The answer to a question about a file of records: `where`, `ids`, `sql`, `recipe` or `query`.

        Args:
            file_path: as a reference spells it.
            where: a condition, such as `{"field": "priority", "op": ">", "value": 3}`.
            ids: which of these are there.
            id_field: the field that holds them (`id`).
            select: the fields that are shown.
            count: only how many there are.
            group_by: how many there are for each value of this field.
            sort_by: the order; `-created` is newest first.
            recipe: the number of a recipe of the file, 1 to 10.
            query: a jq filter.
            sql: a SELECT over the table `records`, in SQLite's dialect.
            slurp: the filter gets all records as one array (True), or each (False).
            params: values for `recipe` or `query`.
            limit: the most records, groups or outputs.
            offset: how many are passed over.
            max_tokens: ceiling of the text (8000).

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
            operation: the tool that gave it.
            results: its records; or
            content: its text.
            query: what was asked of it.
            detail: the level of detail of the records.
            threshold_tokens: what is not larger stays.
            ttl_seconds: how long the file lives after it was last given out.
            output_dir: its folder; by default the operator's.
            profile: whose recipes and names.
            descriptor: how much is said of the file. By default `compact`; with a profile `full`, as its
                specification has it.
            score_field: the number whose range is told.

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
            output_dir=output_dir,
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
        """How many tokens a history has.

        Args:
            messages: the history.
            tools: tool definitions, counted too.
            system: the system prompt beside the messages, counted too.
            model: picks the tokenizer.
            format: of `messages`.

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
        """What a provider would reject in a history.

        Args:
            messages: the history.
            format: of it.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask("/validate", answers.validated, messages=messages, format=_format(format))

    def rehydrate(
        self, messages: Sequence[Any], system: Any = None, *, format: Format | None = None
    ) -> Rehydrated:
        """The original history of one that was made smaller.

        Args:
            messages: as `offload` gave them.
            system: as `offload` gave it.
            format: of `messages`.

        Raises:
            UnburdenError: the service refused or did not answer.
        """
        return self._ask(
            "/rehydrate", answers.rehydrated, messages=messages, system=system, format=_format(format)
        )

    def healthy(self) -> bool:
        """Whether the service runs. Takes two seconds at most, raises nothing."""
        try:
            return self._transport.get("/healthz", min(self._timeout, _HEALTH_SECONDS)) == 200
        except UnburdenError:
            return False

    def tool_definitions(self, format: ToolFormat) -> list[dict[str, Any]]:
        """The definitions of the client's reload tools for a provider; asks nobody.

        Args:
            format: `openai`, `openai-responses`, `anthropic`, `gemini` or `mcp`.

        Raises:
            ValueError: another format.
        """
        return tool_definitions(format, self.reload_tools)

    def run_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None, *, max_tokens: int = MAX_TOKENS
    ) -> str:
        """What a model reads after it called a reload tool. Raises nothing: an error is a sentence, too.

        Args:
            name: of the tool.
            arguments: of the call, as an object or as its JSON.
            max_tokens: the ceiling where the model asks for none, or for more.

        Returns:
            The answer; the header of a page that was cut says how to go on.
        """
        call = parse_call(name, arguments, self.store_dir, self.reload_tools, max_tokens)
        if isinstance(call, str):
            return call
        try:
            envelope = self._transport.post(f"/{call.name}", call.body, self._timeout)
            return answers.parsed(lambda e: answered(call, e["answer"], e["metadata"]), envelope)
        except ServiceError as error:
            return error.message
        except UnburdenError as error:
            return f"what was stored cannot be read now: {error.message}"

    def close(self) -> None:
        """Closes the idle connections, and lets the service go that this client started."""
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
            # They would double an answer that nobody looks at.
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

    def _ask(self, route: str, parse: Callable[[answers.Envelope], answers.T], /, **body: Any) -> answers.T:
        body = {name: plain(value, name) for name, value in body.items()}
        return answers.parsed(parse, self._transport.post(route, _given(**body), self._timeout))


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
