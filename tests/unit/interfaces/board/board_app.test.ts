import { afterAll, beforeAll, expect, test } from "bun:test";
import { BoardAccess } from "#interfaces/board/access.ts";
import { createBoardApp } from "#interfaces/board/board_app.ts";
import { BOARD_KEY_HEADER, type BoardChange, type BoardData, type SpecPage } from "#planner/board/wire.ts";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";

const PORT = 4600;
const HOST = { host: `127.0.0.1:${PORT}` };
const ID = "2026-11-01-001-aaa";
const TEXT =
  "---\nstatus: pending\n---\n\n# Hostile <script>\n\n<img src=x onerror=alert(1)> [x](javascript:alert(1))\n";

let project: PlannerProject;
const ended: (() => void)[] = [];

beforeAll(async () => {
  project = await plannerProject();
});

afterAll(() => {
  for (const end of ended) end();
  project.remove();
});

type Headers = Readonly<Record<string, string>>;

interface Board {
  readonly access: BoardAccess;
  readonly shutdown: AbortController;
  /** Asks with the Host of a browser. */
  ask(path: string, headers?: Headers, body?: object): Promise<Response>;
}

function board(): Board {
  const access = new BoardAccess();
  access.setPort(PORT);
  const shutdown = new AbortController();
  ended.push(() => shutdown.abort());
  const app = createBoardApp({
    context: project.context,
    access,
    project: "shop",
    loadChoices: async () => ({ agents: [], templates: [], priorities: [] }),
    loadPage: async () => "<!doctype html><style>a{}</style><script>1</script>",
    review: { accept: async (id) => `accepted ${id}`, back: async () => "", reject: async () => "" },
    reportDefect: (error) => {
      throw error;
    },
    shutdown: shutdown.signal,
  });
  return {
    access,
    shutdown,
    ask: async (path, headers = {}, body) => {
      const given = { ...HOST, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
      const init = { headers: given, ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }) };
      return app.fetch(new Request(`http://127.0.0.1:${PORT}${path}`, init));
    },
  };
}

/** Opens the address as a browser; returns the headers that its page sends from then on. */
async function opened({ access, ask }: Board): Promise<Headers> {
  const { headers } = await ask(new URL(access.address).search.replace(/^/, "/"));
  const cookie = headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
  const key = /^\/#key=(.+)$/.exec(headers.get("location") ?? "")?.[1] ?? "";
  return { cookie: cookie.split(";")[0] ?? "", [BOARD_KEY_HEADER]: key };
}

test("the board answers nobody but the browser that opened its address", async () => {
  const own = board();
  const page = await opened(own);
  const stale = await opened(board());
  const { cookie = "", [BOARD_KEY_HEADER]: key = "" } = page;
  const strangers: readonly Headers[] = [
    {},
    { cookie },
    { [BOARD_KEY_HEADER]: key },
    stale,
    { cookie, [BOARD_KEY_HEADER]: stale[BOARD_KEY_HEADER] ?? "" },
    { ...page, host: "evil.example" },
    { ...page, host: `localhost:${PORT}` },
    { ...page, origin: "http://evil.example" },
    { ...page, origin: "http://127.0.0.1:4601" },
    { ...page, origin: "null" },
    { ...page, "sec-fetch-site": "cross-site" },
    { ...page, "sec-fetch-site": "same-site" },
  ];

  expect((await own.ask("/board", page)).status).toBe(200);
  for (const headers of strangers) {
    for (const path of [
      "/board",
      "/picture",
      `/spec?id=${ID}`,
      "/stream?revision=0",
      "/difference?from=a&to=b&path=c",
    ]) {
      expect([headers, path, (await own.ask(path, headers)).status]).toEqual([headers, path, 403]);
    }
    const add = { tool: "add", args: { description: "planted" } };
    expect((await own.ask("/do", headers, add)).status).toBe(403);
  }
  expect(project.list(".planner/specs")).toEqual([]);
});

test("the address opens the board once, and its page allows nothing but itself", async () => {
  const own = board();
  const path = `/${new URL(own.access.address).search}`;
  const page = await opened(own);

  expect((await own.ask(path)).status).toBe(403);
  expect((await own.ask("/?open=guess")).status).toBe(403);
  expect((await own.ask(path, { cookie: page["cookie"] ?? "" })).headers.get("location")).toBe("/");
  const { headers } = await own.ask("/");
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'sha256-/);
  expect(headers.get("content-security-policy")).not.toContain("unsafe");
});

test("the board carries out the commands of its table only, and not beyond their parameters", async () => {
  const own = board();
  const page = await opened(own);
  project.spec(ID, TEXT);
  const { revision } = (await (await own.ask("/board", page)).json()) as BoardData;
  const refused = [
    { tool: "planner_split", args: { id: ID } },
    { tool: "__proto__", args: {} },
    { tool: "update", args: { id: ID, status: "completed", unproven: "because" }, revision },
    { tool: "update", args: { id: ID, status: "completed", steal: true }, revision },
    { tool: "update", args: { id: ID, priority: "high" } },
    { tool: "work", args: { id: ID, skip_criteria: true } },
    { tool: "finalize", args: { id: ID, unproven: "because" }, revision },
    { tool: "finalize", args: { id: ID, offline: true }, revision },
  ];

  for (const body of refused) {
    const { status } = await own.ask("/do", page, body);
    expect([body, status]).toEqual([body, 400]);
  }
  expect((await own.ask("/do", { ...page, "content-type": "text/plain" }, refused[0])).status).toBe(400);
  expect(project.specText(ID)).toBe(TEXT);
});

test("of two writers the late one is refused and the file keeps the other's change", async () => {
  const own = board();
  const page = await opened(own);
  project.spec(ID, TEXT);
  const spec = (await (await own.ask(`/spec?id=${ID}`, page)).json()) as SpecPage;
  const { revision } = (await (await own.ask("/board", page)).json()) as BoardData;
  const change = (output: string, seen: object) => ({
    tool: "update",
    args: { id: ID, output, replace_body: true },
    ...seen,
  });
  const first = await own.ask("/do", page, change("# Hostile <script>\n\nfirst", { seen: spec.seen }));
  const late = await own.ask("/do", page, change("# Hostile <script>\n\nlate", { seen: spec.seen }));
  const moved = await own.ask("/do", page, { tool: "update", args: { id: ID, status: "failed" }, revision });

  expect(first.status).toBe(200);
  for (const refused of [late, moved]) {
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      conflict: true,
      message: expect.stringContaining("after you saw it"),
    });
  }
  expect(project.specText(ID)).toContain("\nfirst\n");
});

test("the text of a spec is sent as HTML that runs nothing", async () => {
  const own = board();
  const page = await opened(own);
  project.spec(ID, TEXT);
  const { html } = (await (await own.ask(`/spec?id=${ID}`, page)).json()) as SpecPage;

  expect(html).not.toMatch(/<script|<img|javascript:/);
  expect(html).toContain("&lt;img src=x");
});

test("the stream tells what changed since the page's revision, and new lines of the log", async () => {
  const own = board();
  const page = await opened(own);
  project.spec(ID, TEXT);
  project.write(`.planner/logs/${ID}.log`, "one\n");
  const { revision } = (await (await own.ask("/board", page)).json()) as BoardData;
  const response = await own.ask(`/stream?revision=${revision}&log=${ID}`, page);
  const events = eventsOf(response);

  expect(await events.next("log")).toMatchObject({ id: ID, text: "one\n", fresh: true });
  project.write(`.planner/logs/${ID}.log`, "one\ntwo\n");
  expect(await events.next("log")).toMatchObject({ text: "two\n", fresh: false });
  project.spec(ID, TEXT.replace("pending", "failed"));
  const { cards } = (await events.next("board")) as BoardChange;
  expect(cards.map(({ id, column }) => [id, column])).toEqual([[ID, "needs_you"]]);
  own.shutdown.abort();
  expect(await events.next("board")).toBeUndefined();
});

/** Reads the next event of a name; undefined when the stream has ended. */
function eventsOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const frame = async (): Promise<string | undefined> => {
    while (!rest.includes("\n\n")) {
      const { done = true, value = "" } = (await reader?.read()) ?? {};
      if (done) return undefined;
      rest += value;
    }
    const [first = "", ...others] = rest.split("\n\n");
    rest = others.join("\n\n");
    return first;
  };
  return {
    async next(name: string): Promise<unknown> {
      for (let text = await frame(); text !== undefined; text = await frame()) {
        if (text.startsWith(`event: ${name}\n`)) return JSON.parse(text.slice(text.indexOf("data: ") + 6));
      }
      return undefined;
    },
  };
}
