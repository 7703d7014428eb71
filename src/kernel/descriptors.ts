import { fileDesc as describeFile, type GenFile } from "@bufbuild/protobuf/codegenv2";

// Generated files import the library from here.
export * from "@bufbuild/protobuf/codegenv2";

/**
 * Reads the descriptor of a proto file. The library registers each import anew for each chain of imports that leads to it:
 * with eleven files that import one another, half of the time. Fields name only types of direct imports, so it sees these
 * without theirs.
 */
export function fileDesc(base64: string, imports: GenFile[] = []): GenFile {
  const file = describeFile(
    base64,
    imports.map((one) => ({ ...one, dependencies: [] })),
  );
  file.dependencies.splice(0, imports.length, ...imports);
  return file;
}
