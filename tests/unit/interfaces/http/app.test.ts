import { describe, expect, test } from "bun:test";
import { type Served, served } from "../../../support/dc/served.ts";
import { eachTest } from "../../../support/each_test.ts";
import { Http2Client, http1 } from "../../../support/http_client.ts";

const RACK = { code: "R1", location: { site_id: "S1", floor_number: 1 } };

async function history(at: Served, query = "", headers: Record<string, string> = {}) {
  const { status, text } = await http1(`${at.url}/audit/history${query}`, { headers });
  return { status, body: JSON.parse(text) };
}

async function changed(at: Served): Promise<void> {
  await at.site.call("UpsertRack", { rack: RACK });
  await at.site.call("UpsertRack", { rack: { ...RACK, code: "R2" } });
  await at.site.call("DeleteRack", { code: "R2" });
}

const at = eachTest(served);

describe("The port's plain routes", () => {
  test("say that the server lives and whether it can be used", async () => {
    const statuses = async () =>
      Promise.all(["/healthz", "/readyz"].map(async (path) => (await http1(at.url + path)).status));

    const before = await statuses();
    at.setReady(false);
    const without = await statuses();
    at.setReady(true);
    at.shutdown.abort();
    const ending = await statuses();

    expect([before, without, ending]).toEqual([
      [200, 200],
      [200, 503],
      [200, 503],
    ]);
  });

  test("serve metrics without a token, in the form that is asked for", async () => {
    const at = await served({ authRequired: true });
    await at.site.call("SearchDevices", {});

    const plain = await http1(`${at.url}/metrics`);
    const open = await http1(`${at.url}/metrics`, {
      headers: { accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" },
    });

    expect(plain.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(plain.text).toContain('planner_dc_calls_total{method="SearchDevices",interface="REST",outcome="ok"} 1\n');
    expect(open.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(open.text).toEndWith("# EOF\n");
  });

  test("answer over HTTP/2 as well", async () => {
    const client = new Http2Client(at.url);

    const answer = await client.ask("/healthz");

    expect([answer.status, answer.text]).toEqual([200, "ok\n"]);
    client.close();
  });

  test("refuse other paths", async () => {
    const lost = await http1(`${at.url}/nowhere`);

    expect(lost.status).toBe(404);
    expect(JSON.parse(lost.text)).toMatchObject({ code: "not_found", message: 'There is nothing at "/nowhere"' });
  });
});

describe("GET /estate", () => {
  test("tells the sites with their floors, and what there is in all, also right after a change", async () => {
    await http1(`${at.url}/estate`);
    await changed(at);

    const { status, text } = await http1(`${at.url}/estate`);

    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      sites: [
        { site_id: "S1", floors: [{ floor_ref: "floor:S1/1", floor_number: 1, racks: 1, cracs: 0, devices: 0 }] },
      ],
      fabrics: [],
      totals: { racks: 1, devices: 0, cracs: 0, ports: 0, cables: 0, fabric_links: 0 },
    });
  });
});

describe("GET /resources", () => {
  test("reads resources as stored with their versions, in the order asked for", async () => {
    await changed(at);
    const {
      rack: { etag },
    } = await at.site.call("GetRack", { code: "R1" });

    const { status, text } = await http1(`${at.url}/resources?ref=rack:r1&ref=rack:R2`);

    expect(status).toBe(200);
    const { resources } = JSON.parse(text);
    expect(resources).toEqual([
      { ref: "rack:r1", resource: expect.objectContaining({ ...RACK, etag }) },
      { ref: "rack:R2" },
    ]);
  });

  test("names what it cannot read, and asks for a principal", async () => {
    const [at, closed] = [await served(), await served({ authRequired: true })];
    const many = Array.from({ length: 51 }, (_, one) => `ref=rack:R${one}`).join("&");

    for (const [query, reason] of [
      ["ref=floor:S1/1", "INVALID_REF"],
      ["ref=R1", "INVALID_REF"],
      [many, "BATCH_TOO_LARGE"],
    ] as const) {
      const { status, text } = await http1(`${at.url}/resources?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(text).toContain(reason);
    }
    expect((await http1(`${closed.url}/resources?ref=rack:R1`)).status).toBe(401);
  });
});

describe("GET /audit/history", () => {
  test("tells the newest change first, with the chain's head", async () => {
    await changed(at);

    const { status, body } = await history(at);

    expect(status).toBe(200);
    expect(body.entries.map(({ entity, action }: Record<string, string>) => [entity, action])).toEqual([
      ["rack:R2", "DELETE"],
      ["rack:R2", "CREATE"],
      ["rack:R1", "CREATE"],
    ]);
    expect(body.chain).toEqual({ head_seq: 3, head_hash: body.entries[0].hash });
    expect(body.next_page_token).toBe("");
  });

  test("pages to the whole, and refuses a token under other filters", async () => {
    await changed(at);
    const seqs: number[] = [];

    let token = "";
    do {
      const { body } = await history(at, `?order=asc&page_size=2&page_token=${token}`);
      seqs.push(...body.entries.map(({ seq }: { readonly seq: number }) => seq));
      token = body.next_page_token;
    } while (token !== "");
    const { body: first } = await history(at, "?page_size=1");
    const other = await history(at, `?page_size=1&actor=anna&page_token=${first.next_page_token}`);

    expect(seqs).toEqual([1, 2, 3]);
    expect(other).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
  });

  for (const [what, query, named] of [
    ["an unknown parameter", "?colour=red", "colour"],
    ["a parameter that is given twice", "?actor=a&actor=b", "actor"],
    ["a page size that is no number", "?page_size=-1", "page_size"],
    ["a moment that is none", "?since=yesterday", "since"],
    ["a reference that is none", "?entity=R2", "entity"],
    ["an unknown action", "?action=burn", "action"],
    ["a name with a NUL", "?actor=a%00b", "actor"],
    ["a token that is none", "?page_token=x", "page_token"],
    ["an unknown order", "?order=sideways", "order"],
    ["the name of a prototype", "?__proto__=1", "__proto__"],
  ] as const) {
    test(`refuses ${what}, naming it`, async () => {
      const { status, body } = await history(at, query);

      expect(status).toBe(400);
      expect(body.code).toBe("invalid_argument");
      expect(body.message).toContain(named);
      expect(body.details[0].type).toBe("google.rpc.ErrorInfo");
    });
  }

  test("says how to do better when it asks for a token", async () => {
    const at = await served({ authRequired: true });

    const answer = await http1(`${at.url}/audit/history`);

    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  test("says nothing of a defect but reports it", async () => {
    const error = new Error("secret of the inside");
    at.site.store.read = () => Promise.reject(error);

    const { status, body } = await history(at);

    expect(status).toBe(500);
    expect(body).toEqual({ code: "internal", message: "Internal error" });
    expect(at.defects).toEqual([{ method: "GET /audit/history", error }]);
  });
});

describe("/audit/verify", () => {
  test("says that the chain holds", async () => {
    await changed(at);

    const { text } = await http1(`${at.url}/audit/verify`);

    expect(JSON.parse(text)).toMatchObject({
      ok: true,
      head_seq: 3,
      head_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("names the first entry that was altered", async () => {
    await changed(at);
    await at.site.store.write(async (writer) => {
      const [record] = await writer.history({ descending: false, after: 1, limit: 1 });
      const { seq, hash } = await writer.chainHead();
      if (record !== undefined) await writer.append([{ ...record, seq: seq + 1, prevHash: hash, message: "forged" }]);
    });

    const { text } = await http1(`${at.url}/audit/verify`);

    const detail = "was altered: its hash does not fit its text";
    expect(JSON.parse(text)).toEqual({ ok: false, seq: 4, problem: "altered", detail });
  });
});

test("every plain route knows HEAD, refuses other methods by name and lets no browser guess", async () => {
  const names =
    "healthz readyz metrics audit/history audit/verify openapi.json estate resources session windows.ics sample";
  for (const path of names.split(" ").map((name) => `/${name}`)) {
    const [head, put] = [await http1(at.url + path, { method: "HEAD" }), await http1(at.url + path, { method: "PUT" })];

    expect([path, head.status, head.text]).toEqual([path, 200, ""]);
    expect([path, put.status, put.headers.allow]).toEqual([path, 405, "GET, HEAD"]);
    expect(head.headers["x-content-type-options"]).toBe("nosniff");
  }
});

test("the session says who calls and what they may do", async () => {
  const open = await served();
  const closed = await served({ authRequired: true });

  expect(JSON.parse((await http1(`${open.url}/session`)).text)).toEqual({
    auth_required: false,
    principal: "",
    roles: ["reader", "writer", "admin", "meter"],
    auth_method: "none",
  });
  expect((await http1(`${closed.url}/session`)).status).toBe(401);
});
