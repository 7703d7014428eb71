/**
 * Compares PreviewChanges of many changes in one rack with ApplyChanges of the same changes, in turn.
 *
 *     bun tests/bench/dc_preview_ratio.ts [number of changes] [part of a kind's name]
 *
 * Prints processor time of this process and the number of statements; at most twice the write is wanted.
 */
import { changesInOneRack, RACK_ROUNDS } from "../support/dc/changes_in_one_rack.ts";
import { recordStatements } from "../support/dc/recorded_statements.ts";
import { testService } from "../support/dc/service.ts";
import { median, usedMs } from "./measure.ts";

const size = Number(process.argv[2] ?? 1000);
const [, , , wanted = ""] = process.argv;

async function measure(work: () => Promise<unknown>) {
  let statements = 0;
  const ms = await usedMs(async () => {
    statements = (await recordStatements(work)).length;
  });
  return { ms, statements };
}

for (const [name, { before, listChanges }] of Object.entries(changesInOneRack(size))) {
  if (!name.includes(wanted)) continue;
  const { call, store, service } = await testService();
  const apply = async (rpc: string, changes: readonly object[]) => {
    const { results } = await call(rpc, { changes: [...changes] } as never);
    const refused = results.find(({ error }: { error?: object }) => error !== undefined);
    if (refused !== undefined) throw new Error(`${name}: ${JSON.stringify(refused)}`);
  };
  for (let at = 0; at < before.length; at += 1000) await apply("ApplyChanges", before.slice(at, at + 1000));
  const rounds: Record<"preview" | "write", Awaited<ReturnType<typeof measure>>>[] = [];
  for (let round = 0; round < RACK_ROUNDS; round += 1) {
    const changes = listChanges(round);
    await service.warmUp(new AbortController().signal);
    const preview = await measure(() => apply("PreviewChanges", changes));
    const write = await measure(() => apply("ApplyChanges", changes));
    if (round > 0) rounds.push({ preview, write });
  }
  const [preview, write] = (["preview", "write"] as const).map((one) => median(rounds.map((round) => round[one].ms)));
  const counts = rounds.map((round) => `${round.preview.statements}/${round.write.statements}`).at(-1);
  const ratio = ((preview ?? 0) / (write ?? 1)).toFixed(2);
  process.stdout.write(`${name}: ${preview?.toFixed(0)} and ${write?.toFixed(0)} ms, ${ratio}; statements ${counts}\n`);
  await store.close();
}
