import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BoardClient, endBoards, serveBoard } from "../support/board_server.ts";
import { until } from "../support/until.ts";
import { workProject } from "../support/work_project.ts";

afterAll(endBoards);

const CHECKED = "2026-11-24-001-aaa";
const OTHER = "2026-11-24-002-bbb";

test("a card counts what its last run has proven, in the branch and once it is merged", async () => {
  const project = await workProject({ plan: { "*": ["tick", "commit"] } });
  const body = "# Checked\n\n## Acceptance Criteria\n\n- [ ] It is there\n  - verify: true\n- [ ] It is told\n";
  await project.add(CHECKED, "", body);
  expect(await project.planner(["approve", "--all", "--yes"])).toMatchObject({ code: 0 });
  expect(await project.planner(["work", CHECKED])).toMatchObject({ code: 0 });
  const { address } = await serveBoard(project.root);
  const client = await BoardClient.open(address);
  const criteria = async () => (await client.get("/board")).cards[0].criteria;
  const proven = { checked: 2, total: 2, with_check: 1, proven: 1 };

  await until(async () => (await criteria()).proven === 1);
  expect(await criteria()).toEqual(proven);
  expect(await client.carryOut({ tool: "accept", args: { id: CHECKED } })).toMatchObject({ status: 200 });
  await until(async () => (await client.get("/board")).cards[0].column === "done");
  expect(await criteria()).toEqual(proven);

  // Another text of the criterion is not what was proven.
  const file = join(project.root, ".planner/specs", `${CHECKED}.md`);
  writeFileSync(file, readFileSync(file, "utf8").replace("It is there", "It is elsewhere"));
  await until(async () => (await criteria()).proven === 0);
  expect(await criteria()).toEqual({ ...proven, proven: 0 });
  project.remove();
});

test("of two browsers and an agent that change one spec at once, nothing is lost unseen", async () => {
  const project = await workProject({ plan: { [OTHER]: ["wait:go", "tick", "commit"] } });
  await project.add(OTHER);
  const client = await BoardClient.open((await serveBoard(project.root)).address);
  const second = await BoardClient.open((await serveBoard(project.root)).address);
  const [one, two] = [await client.get(`/spec?id=${OTHER}`), await second.get(`/spec?id=${OTHER}`)];
  const change = (seen: string, args: object) => ({ tool: "update", args: { id: OTHER, ...args }, seen });

  const both = await Promise.all([
    client.carryOut(change(one.seen, { assignee: "ann" })),
    second.carryOut(change(two.seen, { assignee: "ben" })),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const won = both[0]?.status === 200 ? "ann" : "ben";
  expect(project.field(OTHER, "assignee")).toBe(won);

  const working = project.planner(["work", OTHER]);
  await project.noted("pids", "\n");
  const late = await client.carryOut(change(one.seen, { labels: ["late"] }));
  expect(late).toMatchObject({ status: 409, answer: { conflict: true } });
  const { seen } = await client.get(`/spec?id=${OTHER}`);
  expect(await client.carryOut(change(seen, { labels: ["new"] }))).toMatchObject({ status: 200 });
  project.release("go");
  expect(await working).toMatchObject({ code: 0 });

  const { labels, assignee, status } = await second.get(`/spec?id=${OTHER}`);
  expect({ labels, assignee, status }).toEqual({ labels: ["new"], assignee: won, status: "completed" });
  project.remove();
});

/** `PLANNER_BOARD_SPECS=10000` is the size at which it is wanted. */
const SPECS = Number(process.env["PLANNER_BOARD_SPECS"] ?? 500);

test("what another program writes reaches the stream of a page as one change", async () => {
  const project = await workProject({ plan: {} });
  const id = (number: number): string => `2026-11-24-${number.toString(36).padStart(3, "0")}-xxx`;
  for (let number = 1; number <= SPECS; number++) project.spec(id(number), "---\nstatus: pending\n---\n\n# Old\n");
  const client = await BoardClient.open((await serveBoard(project.root)).address);
  const { revision, cards } = await client.get("/board");
  expect(cards.length).toBe(SPECS);

  const changes = client.events(revision);
  // The answer to a request says that the stream is under way.
  const first = changes.next();
  await client.get("/board");
  project.spec(id(7), "---\nstatus: pending\n---\n\n# New\n");
  const { value } = await first;

  expect(value.cards.map(({ title }: { readonly title: string }) => title)).toEqual(["New"]);
  expect(value.gone).toEqual([]);
  await changes.return(undefined);
  project.remove();
});
