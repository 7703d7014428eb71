/** Thrown to undo a transaction that was only to be tried; carries its answer. */
export class Tried<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super("Tried only");
    this.result = result;
  }
}

/** Gives the result of a transaction, or its answer if it was only tried. */
export async function resultOf<Result>(transaction: Promise<Result>): Promise<Result> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof Tried) return error.result;
    throw error;
  }
}
