import { afterAll } from "bun:test";
import { eachTest } from "./each_test.ts";
import { type TempProject, tempProject } from "./temp_project.ts";

/** A project that is made anew and filled before each test of the calling file, and removed after it. */
export function projectOfEachTest(fill: (made: TempProject) => void = () => {}): TempProject {
  return eachTest(() => {
    const made = tempProject();
    fill(made);
    return made;
  });
}

/** A project for all tests of the calling file, removed after the last of them. */
export function projectOfAllTests(): TempProject {
  const project = tempProject();
  afterAll(project.remove);
  return project;
}
