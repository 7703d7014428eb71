/**
 * One use of the spec store by a process of its own: `bun use_store.ts <root> <operation> [word …]`. Prints one line of
 * JSON: the answer, or `{refused, message}`. `STORE_UID` names a user to become first, for what root may do anyway.
 */
import { OperationError } from "#kernel/errors.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";

type Operation = (store: SpecStore, words: readonly string[]) => Promise<unknown>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  read: (store) => store.readActive(),
  load: (store, [id = ""]) => store.load(id as SpecId),
  set: (store, [id = "", field = "", value = ""]) =>
    store.edit(id as SpecId, (text) => editFields(text, { [field]: value })),
  grow: (store, [id = "", size = ""]) => store.edit(id as SpecId, (text) => text + "x".repeat(Number(size))),
  create: (store, [day = "", size = "0"]) => store.create(day, (id) => `# ${id}\n${"x".repeat(Number(size))}`),
  split: async (store, [id = "", count = "2"]) => {
    const ids = Array.from({ length: Number(count) }, (_, index) => `${id}.${index + 1}` as SpecId);
    const members = ids.map((member) => ({ id: member, text: `---\nstatus: pending\n---\n\n# ${member}\n` }));
    await store.createMembers(id as SpecId, { members, fields: { type: "driver", members: ids } });
    return ids;
  },
  archive: (store, [id = ""]) => store.moveToArchive(id as SpecId),
};

const [root = "", operation = "", ...words] = process.argv.slice(2);
const uid = process.env["STORE_UID"];
if (uid !== undefined) process.setuid?.(Number(uid));
const run = OPERATIONS[operation];
if (run === undefined) throw new Error(`No such operation: ${operation}`);
const answer = await run(new SpecStore(root), words).catch((error: unknown) => {
  if (error instanceof OperationError) return { refused: error.kind, message: error.message };
  throw error;
});
process.stdout.write(`${JSON.stringify(answer)}\n`);
