import { useCallback, useEffect, useState } from "preact/hooks";
import { read } from "../api/client.ts";
import { signedIn } from "../api/sign_in.ts";

type Schemas = Readonly<Record<string, { readonly properties?: Readonly<Record<string, { description?: string }>> }>>;

/** The comment of a message's field in the proto files; "" while it is not known. */
export type CommentOf = (message: string, field: string) => string;

let asked: Promise<Schemas> | undefined;

/** The comments of all fields, as the description of the interface has them. They are asked for with the first form. */
export function useComments(): CommentOf {
  const [schemas, setSchemas] = useState<Schemas>({});
  useEffect(() => {
    asked ??= signedIn(() => read<{ readonly components: { readonly schemas: Schemas } }>("/openapi.json", {})).then(
      ({ components }) => components.schemas,
      // A form works without them.
      () => {
        asked = undefined;
        return {};
      },
    );
    void asked.then(setSchemas);
  }, []);
  return useCallback(
    (message, field) => schemas[`datacenter.v1.${message}`]?.properties?.[field]?.description ?? "",
    [schemas],
  );
}
