import { expect, test } from "bun:test";
import { VerdictWatch } from "#dc/operations/stream/change_streams.ts";
import { listAllWindows } from "#dc/read_pages.ts";
import { agreeingStores } from "../../support/dc/agreeing_sites.ts";
import { changeSomething, drawWindow, elementsOf, put } from "../../support/dc/drawn_windows.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// What the stream of changes says about verdicts, applied in order to a list of windows, gives the list that a service answers
// that has kept nothing. Changes are of the inventory, of windows, and of the clock alone.

const CHANGES = Number(process.env["PLANNER_WINDOW_CHANGES"] ?? 12);
const WINDOWS = 12;

// biome-ignore lint/suspicious/noExplicitAny: events and replies of every shape
type Json = any;
type Verdicts = Map<string, unknown>;

const SHORT = /^WINDOW_(VERDICT|IMPACT)_/;

async function fresh({ store, clock }: TestService): Promise<Verdicts> {
  const other = await testService({ store });
  other.clock.moveS((clock.now().getTime() - other.clock.now().getTime()) / 1000);
  const { windows = [] }: Json = await other.call("ListWindows", { page_size: 1000 });
  const open = windows.filter(({ verdict }: Json) => verdict !== undefined);
  return new Map(
    open.map(({ window, verdict, impact, overdue = false }: Json) => [
      `window:${window.code}`,
      { verdict: verdict.replace(SHORT, ""), impact: impact.replace(SHORT, ""), overdue },
    ]),
  );
}

/** Applies events, each of which has to begin where the one before it ended. */
function apply(verdicts: Verdicts, events: readonly { readonly json: string }[], seen: Set<string>): void {
  for (const { json } of events) {
    const { window, was, is } = JSON.parse(json);
    expect([json, verdicts.get(window)]).toEqual([json, was === null ? undefined : standing(was)]);
    if (is === null) verdicts.delete(window);
    else verdicts.set(window, standing(is));
    seen.add(was === null ? "new" : is === null ? "gone" : was.verdict !== is.verdict ? "verdict" : "other");
    if (was !== null && is !== null && was.overdue !== is.overdue) seen.add("overdue");
  }
}

const standing = ({ verdict, impact, overdue }: Json) => ({ verdict, impact, overdue });

/** The sample site takes seconds for each change. */
async function* stores(): ReturnType<typeof agreeingStores> {
  for await (const one of agreeingStores()) if (one.name !== "AMS1" || CHANGES >= 100) yield one;
}

test("events about verdicts, applied to a list of windows, give the list that follows", async () => {
  const seen = new Set<string>();
  for await (const { name, store, seed } of stores()) {
    const random = new SeededRandom(seed + 9);
    const site = await testService({ store });
    const elements = await elementsOf(site);
    if (!elements.some((ref) => ref.startsWith("device:"))) continue;
    for (let index = 0; index < WINDOWS; index += 1) await put(site, drawWindow(`W${index}`, random, elements));
    const watch = new VerdictWatch({
      readRevision: () => store.revision(),
      now: () => site.clock.now().getTime(),
      listOpenWindows: () => listAllWindows(site.service, { interface: "SYSTEM" }),
      onEventsAdded: () => {},
    });
    watch.start();
    await watch.compareVerdicts();
    const verdicts = await fresh(site);
    let position = watch.endPosition ?? -1;
    for (let change = 0; change < CHANGES; change += 1) {
      if (change % 4 === 3) site.clock.moveS(random.pick([1800, 3600, 5400]));
      else await changeSomething(site, random, { elements, windows: WINDOWS + 6 });
      // The first look finds that something changed, the second that no further change follows.
      await watch.compareVerdicts();
      await watch.compareVerdicts();
      apply(verdicts, watch.listEventsAfter(position) ?? [], seen);
      position = watch.endPosition ?? -1;
      expect([name, change, new Map([...verdicts].sort())]).toEqual([
        name,
        change,
        new Map([...(await fresh(site))].sort()),
      ]);
    }
    watch.stop();
    if (["new", "gone", "verdict", "overdue"].every((one) => seen.has(one))) break;
  }
  expect([...seen].sort()).toEqual(expect.arrayContaining(["gone", "new", "overdue", "verdict"]));
}, 3_600_000);
