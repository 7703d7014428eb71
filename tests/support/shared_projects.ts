import { ScriptedProject } from "./misbehaving_agent.ts";

/** Tests of a file that run at once: they wait for files to be flushed about half of their time. */
const AT_ONCE = 4;

/** Limit of time of such a test: it counts while others of its file are ahead, the making of its project too. */
export const SHARED_LIMIT_MS = 20 * 60_000;

/**
 * Projects whose making several tests of a file share. Each test finds the project as it was made, in the same folder,
 * for names of folders are in what git and planner write. Tests of one project run one after another.
 */
export class SharedProjects<Begin, Made> {
  readonly #shared = new Map<string, Promise<Shared<Made>>>();
  readonly #make: (project: ScriptedProject, begin: Begin) => Promise<Made>;
  readonly #waiting: (() => void)[] = [];
  #free = AT_ONCE;

  readonly #folder: (begin: Begin) => string | undefined;

  /**
   * @param make what happens in a new project, for each way to begin that tests name
   * @param folder name of its folder, the usual one if left out
   */
  constructor(
    make: (project: ScriptedProject, begin: Begin) => Promise<Made>,
    folder: (begin: Begin) => string | undefined = () => undefined,
  ) {
    this.#make = make;
    this.#folder = folder;
  }

  /** Runs a test in the project that begins in this way. */
  async use(begin: Begin, test: (project: ScriptedProject, made: Made) => Promise<void>): Promise<void> {
    const key = Bun.inspect(begin);
    const before = this.#shared.get(key) ?? this.#limited(() => this.#begin(begin));
    const ran = before.then((shared) =>
      this.#limited(async () => {
        await shared.project.restore();
        await test(shared.project, shared.made);
      }),
    );
    this.#shared.set(
      key,
      ran.then(
        () => before,
        () => before,
      ),
    );
    await ran;
  }

  async #begin(begin: Begin): Promise<Shared<Made>> {
    const project = await ScriptedProject.make(this.#folder(begin));
    const made = await this.#make(project, begin);
    await project.keep();
    return { project, made };
  }

  async #limited<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  /** Removes the projects; for the end of the file. */
  async remove(): Promise<void> {
    for (const shared of this.#shared.values()) (await shared.catch(() => null))?.project[Symbol.dispose]();
  }
}

interface Shared<Made> {
  readonly project: ScriptedProject;
  readonly made: Made;
}
