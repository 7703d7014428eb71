import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { callRpc, http1 } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";

/** How often the server is killed: few times in every run, 200 times when it is asked for. */
const KILLS = Number(process.env["PLANNER_TEST_KILLS"] ?? 3);
const SEED = Number(process.env["PLANNER_TEST_SEED"] ?? 1);
const WRITERS = 2;
const SIZE = 25;

/** The devices of a writer's n-th bulk write: the same ones again and again, and one more that only this write makes. */
function batch(writer: number, n: number) {
  const codes = [...Array.from({ length: SIZE }, (_, index) => `W${writer}-${index}`), `W${writer}-ONLY-${n}`];
  const labels = { writer: String(writer), batch: String(n) };
  return codes.map((code) => ({
    code,
    kind: "DEVICE_KIND_OTHER",
    location: { site_id: "S1", floor_number: 1 },
    labels,
  }));
}

/** Writes batch after batch until the server is gone; tells of each one that was begun and acknowledged. */
async function write(url: string, writer: number, state: { begun: number; acknowledged: number }, told: () => void) {
  for (;;) {
    state.begun++;
    const items = batch(writer, state.begun);
    const answer = await callRpc(url, "BulkUpsertDevices", { items, atomic: true }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer).toMatchObject({ status: 200, body: { committed: true, failed: 0 } });
    state.acknowledged = state.begun;
    told();
  }
}

/** Which batch each of a writer's devices is from, the lasting ones and those of one batch alone. */
async function written(url: string, writer: number) {
  const lasting: number[] = [];
  const single: number[] = [];
  let token = "";
  do {
    const request = {
      filter: { labels: { writer: String(writer) } },
      page_size: 1000,
      page_token: token,
      view: "DEVICE_VIEW_FULL",
    };
    const { body } = await callRpc(url, "SearchDevices", request);
    for (const { code, labels } of body.devices) (code.includes("ONLY") ? single : lasting).push(Number(labels.batch));
    token = body.next_page_token;
  } while (token !== "");
  return { lasting, single: single.toSorted((a, b) => a - b) };
}

test(`kill -9 in the midst of bulk writes, ${KILLS} times: what was acknowledged is there, nothing is there by half`, async () => {
  const cwd = emptyFolder();
  const random = new SeededRandom(SEED);
  const states = Array.from({ length: WRITERS }, () => ({ begun: 0, acknowledged: 0, lost: [] as number[] }));
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await DcServer.start(cwd);
    // Killed behind this many acknowledged writes and a moment later, while others are under way.
    let left = 1 + random.below(4);
    const pauseMs = random.below(25);
    const due = new Promise<void>((resolve) => {
      const writers = states.map((state, writer) =>
        write(server.url, writer, state, () => {
          left--;
          if (left === 0) setTimeout(() => server.child.kill("SIGKILL"), pauseMs);
        }),
      );
      void Promise.all(writers).then(() => resolve());
    });
    await due;
    await server.ended;

    const again = await DcServer.start(cwd);
    for (const [writer, state] of states.entries()) {
      const { lasting, single } = await written(again.url, writer);
      const last = single.at(-1) ?? 0;
      // Whoever got no answer may have been heard all the same.
      if (last < state.begun) state.lost.push(state.begun);
      expect([state.acknowledged, state.begun]).toContain(last);
      // It was read, so it must be there after the next kill, which may come before another one is acknowledged.
      state.acknowledged = last;
      expect(lasting).toEqual(last === 0 ? [] : Array.from({ length: SIZE }, () => last));
      const all = Array.from({ length: state.begun }, (_, index) => index + 1);
      expect(single).toEqual(all.filter((n) => !state.lost.includes(n)));
    }
    await again.end();
  }

  const { code, stdout, stderr } = await runPlanner(["dc", "audit", "verify"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // One entry per device of each batch that is there.
  const batches = states.reduce((sum, { begun, lost }) => sum + begun - lost.length, 0);
  expect(stdout).toContain(String(batches * (SIZE + 1)));
  if (KILLS > 10)
    process.stderr.write(
      `${KILLS} kills, ${batches} batches, lost without answer: ${states.map(({ lost }) => lost.length)}\n`,
    );
}, 3_600_000);

/** A file system of a few megabytes that only this process and its children see, and that ends with them. */
const SMALL_DISK = [
  "unshare",
  "--map-root-user",
  "--mount",
  "sh",
  "-c",
  'mount -t tmpfs -o size=6m tmpfs "$0" && cd "$0" && exec "$@"',
];
const canMount = spawnSync(SMALL_DISK[0] ?? "", [...SMALL_DISK.slice(1), emptyFolder(), "true"]).status === 0;
if (!canMount) process.stderr.write("No full disk is tried: this machine lets nobody mount a file system\n");

/** Takes all the space there is. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const size of [65_536, 512]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOSPC" });
      }
    }
  } finally {
    closeSync(file);
  }
}

test.skipIf(!canMount)("a full disk is told, reads go on, and so do writes when there is space again", async () => {
  const disk = emptyFolder();
  const server = await DcServer.start(emptyFolder(), ["--db", join(disk, "dc.sqlite")], [...SMALL_DISK, disk]);
  try {
    // Nobody outside sees the disk but through the server's own eyes.
    const filler = join(`/proc/${server.child.pid}/root`, disk, "filler");
    const put = (n: number) => callRpc(server.url, "BulkUpsertDevices", { items: batch(0, n), atomic: true });
    const first = await put(1);
    fill(filler);

    while ((await http1(`${server.url}/readyz`)).status !== 503);
    const full = await http1(`${server.url}/readyz`);
    const refused = [];
    for (let n = 2; n < 60 && refused.length < 3; n++) {
      const answer = await put(n);
      if (answer.status !== 200) refused.push(answer);
    }
    const { lasting, single } = await written(server.url, 0);
    const alive = await http1(`${server.url}/healthz`);
    rmSync(filler);
    while ((await http1(`${server.url}/readyz`)).status !== 200);
    const later = await put(100);
    const verified = await http1(`${server.url}/audit/verify`);

    expect(first.body.committed).toBe(true);
    expect(refused).toHaveLength(3);
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([503, "unavailable"]);
      expect(body.message).toContain("full");
      expect(body.message).not.toContain(disk);
    }
    expect(new Set(lasting)).toEqual(new Set([single.at(-1) ?? 0]));
    expect(alive.status).toBe(200);
    expect(full.text).toContain("full");
    expect(later.body.committed).toBe(true);
    expect((await written(server.url, 0)).lasting).toEqual(Array.from({ length: SIZE }, () => 100));
    expect(JSON.parse(verified.text).ok).toBe(true);
    expect(server.stderr.split("\n").filter((line) => line.includes(" database: "))).toEqual([
      expect.stringMatching(/is full; changes are refused as unavailable/),
      expect.stringContaining("The database can be used again"),
    ]);
    expect(server.stderr).not.toMatch(/\n\s+at /);
  } finally {
    await server.end();
  }
});
