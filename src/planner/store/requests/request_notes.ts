import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { specName, specOfName } from "../../work/claims/claim_ref.ts";
import { type RequestNote, readNote, writeNote } from "../../work/requests/request_note.ts";
import type { Git } from "../git/git.ts";

/** Where the notes of requests are: each is a commit without files. */
const NOTES = "refs/planner/pr/";

/** Reads all notes; none without a repository, or without git. Cost: one git. */
export async function readNotes(git: Git): Promise<ReadonlyMap<SpecId, RequestNote>> {
  const asked = git.ask(["for-each-ref", "--format=%(refname)%00%(contents)%00", NOTES]);
  const listed = await asked.catch((error: unknown) => {
    if (!(error instanceof OperationError)) throw error;
    return null;
  });
  const fields = (listed ?? "").split("\0");
  const found = new Map<SpecId, RequestNote>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const id = specOfName((fields[index] ?? "").trim().slice(NOTES.length));
    const note = readNote(fields[index + 1] ?? "");
    if (id !== null && note !== null) found.set(id, note);
  }
  return found;
}

/** Forgets the request of a spec whose branch is gone. Cost: one git. */
export async function forgetRequest(git: Git, id: SpecId): Promise<void> {
  await git.try(["update-ref", "-d", NOTES + specName(id)]);
}

/** Writes a note in place of the one before. Cost: one git. */
export async function noteRequest(git: Git, id: SpecId, note: RequestNote): Promise<void> {
  const ref = NOTES + specName(id);
  const message = writeNote(id, note);
  const seconds = Math.floor(Date.now() / 1000);
  const input = `commit ${ref}\ncommitter planner <planner@localhost> ${seconds} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`;
  await git.run(["fast-import", "--quiet", "--force", "--date-format=raw"], { input });
}
