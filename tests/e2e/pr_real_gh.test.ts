import { afterEach, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fromDebian } from "../support/debian.ts";
import { type ForgeProject, forgeProject } from "../support/forge_project.ts";

const ID = "2026-11-01-001-one";
const HAS_GH = fromDebian("/usr/bin/gh", "gh");

interface Call {
  readonly method: string;
  readonly address: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What GitHub's REST interface has of the repository, as far as the calls go. */
class GithubServer {
  readonly calls: Call[] = [];
  /** The next answers, in place of the usual ones: status and body. */
  readonly refusals: (readonly [status: number, body: object])[] = [];
  request: Record<string, unknown> | null = null;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk as Buffer);
      const { method = "", url = "", headers } = message;
      const call = { method, address: url, headers, body: Buffer.concat(chunks).toString() };
      this.calls.push(call);
      const [status, body] = this.refusals.shift() ?? this.#answer(call);
      response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
      response.end(JSON.stringify(body));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ method, address, body }: Call): readonly [status: number, body: object] {
    const { host, pathname } = new URL(address);
    if (host !== "api.github.localhost") return [502, { message: `unexpected host ${host}` }];
    const [, number] = /^\/repos\/acme\/shop\/pulls(\/7)?$/.exec(pathname) ?? [null];
    if (number === null) return [404, { message: "Not Found" }];
    if (method === "GET" && number === undefined) return [200, this.request === null ? [] : [this.request]];
    if (method === "POST" && number === undefined) {
      const { title, head, base, draft, ...text } = JSON.parse(body);
      this.request = {
        ...{ number: 7, html_url: "https://github.localhost/acme/shop/pull/7", state: "open", title, draft, ...text },
        ...{ merged_at: null, merge_commit_sha: null, head: { ref: head, sha: "0".repeat(40) }, base: { ref: base } },
      };
      return [201, { ...this.request }];
    }
    if (this.request === null) return [404, { message: "Not Found" }];
    if (method === "PATCH") Object.assign(this.request, JSON.parse(body));
    return [200, this.request];
  }
}

let project: ForgeProject | undefined;
let server: GithubServer | undefined;

afterEach(() => {
  project?.[Symbol.dispose]();
  server?.stop();
});

test.skipIf(!HAS_GH)("Debian's gh sends what pr gives it: it finds, makes, updates and reads requests", async () => {
  const made = await forgeProject({ program: "gh", isThere: false, plan: { "*": ["tick", "commit"] } });
  const github = new GithubServer();
  [project, server] = [made, github];
  const proxy = await github.start();
  await made.add(
    ID,
    "",
    `# Open | the shop\n\n## Acceptance Criteria\n\n- [ ] It is <b>there</b>\n  verify: test -f ${ID}.txt\n`,
  );
  await made.mustGit("push", "--quiet", "origin", "main");
  await made.planner(["work", ID]);
  const env = { GH_HOST: "github.localhost", GH_TOKEN: "t", GH_CONFIG_DIR: made.forge, http_proxy: proxy };
  const pr = (...words: readonly string[]) => made.planner(["pr", ...words], { env });

  expect(await pr(ID)).toMatchObject({
    code: 0,
    stdout: `Created: ${ID} https://github.localhost/acme/shop/pull/7\n`,
    stderr: "",
  });

  expect(github.calls.map(({ method, address }) => `${method} ${address}`)).toEqual([
    `GET http://api.github.localhost/repos/acme/shop/pulls?head=acme%3Aplanner%2F${ID}&state=all&per_page=100`,
    "POST http://api.github.localhost/repos/acme/shop/pulls",
  ]);
  const post = github.calls.at(-1);
  expect(post?.headers).toMatchObject({ authorization: "token t", "content-type": "application/json" });
  expect(JSON.parse(post?.body ?? "")).toEqual({
    ...{ title: "Open | the shop", head: `planner/${ID}`, base: "main", draft: false },
    body: expect.stringContaining("| ✅ | It is &#60;&#8203;b&#62;&#8203;there"),
  });

  github.request = { ...github.request, body: "Mine." };
  expect((await pr(ID)).stdout).toStartWith("Updated: ");
  expect(github.calls.at(-1)).toMatchObject({ method: "PATCH", body: expect.stringContaining('{"body":"Mine.') });
  expect((await pr("--sync")).stdout).toStartWith(`Open: ${ID} `);
  expect(github.calls.at(-1)?.address).toBe("http://api.github.localhost/repos/acme/shop/pulls/7");

  // What GitHub says is said.
  const errors = [{ resource: "PullRequest", message: "No commits between main and planner" }];
  github.refusals.push([200, []], [422, { message: "Validation Failed", errors }], [200, []]);
  const refused = await pr(ID, "--new");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("No commits between main and planner");
  github.refusals.push([401, { message: "Bad credentials" }]);
  const unknown = await pr(ID);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("Bad credentials")]);
  github.refusals.push([200, [{ number: "seven" }]]);
  expect((await pr(ID)).stderr).toContain("gh at github.localhost answered something else: expected the number");
});
