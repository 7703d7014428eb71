import { afterAll, afterEach, beforeEach } from "bun:test";
import { type TempProject, tempProject } from "./temp_project.ts";

/** A project that is made anew and filled before each test of the calling file, and removed after it. */
export function projectOfEachTest(fill: (made: TempProject) => void = () => {}): TempProject {
  const project = {} as TempProject;
  beforeEach(() => fill(Object.assign(project, tempProject())));
  afterEach(() => project.remove());
  return project;
}

/** A project for all tests of the calling file, removed after the last of them. */
export function projectOfAllTests(): TempProject {
  const project = tempProject();
  afterAll(project.remove);
  return project;
}
