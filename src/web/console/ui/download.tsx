import { useState } from "preact/hooks";
import type { RenderResult } from "#gen/datacenter/v1/json.ts";
import { useRender } from "../../shared/use_theme.ts";
import { CallError, callRpc, type PictureRpc, type RpcRequest } from "../api/client.ts";
import { saveFile } from "./save_file.ts";

/** A screen's RPC and its request, as the shown picture was asked for. */
export interface Question {
  readonly rpc: PictureRpc;
  readonly request: RpcRequest<PictureRpc>;
}

const FORMATS = ["SVG", "PNG", "HTML", "DOT"] as const;

/** Saves the picture in a format of the person's choice. */
export function Download({ question, name }: { readonly question: Question; readonly name: string }) {
  const [problem, setProblem] = useState("");
  const usual = useRender();
  const save = async (format: string): Promise<void> => {
    setProblem("");
    try {
      // The colouring, view and theme of the screen stay.
      const render = { ...usual, ...question.request.render, format: `RENDER_FORMAT_${format}`, embed_dataset: true };
      const { render: picture } = await callRpc(question.rpc, {
        ...question.request,
        render,
      });
      if (picture !== undefined) offer(picture, `${name.replace(/[^\w.-]+/g, "-")}.${format.toLowerCase()}`);
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : "The picture could not be saved.");
    }
  };
  return (
    <span class="download">
      {FORMATS.map((format) => (
        <button key={format} type="button" aria-label={`Save as ${format}`} onClick={() => void save(format)}>
          {format}
        </button>
      ))}
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </span>
  );
}

function offer({ text, binary, media_type }: RenderResult, fileName: string): void {
  const bytes = binary === undefined ? (text ?? "") : Uint8Array.from(atob(binary), (letter) => letter.charCodeAt(0));
  saveFile(new Blob([bytes], { type: media_type }), fileName);
}
