// Declares packages that tools install at their first run, because types are checked before that.

declare module "mocha/mocha.js";

declare module "@stryker-mutator/instrumenter" {
  interface Place {
    line: number;
    column: number;
  }
  export interface InstrumentResult {
    mutants: {
      id: string;
      fileName: string;
      location: { start: Place; end: Place };
      mutatorName: string;
      replacement: string;
    }[];
    files: { name: string; content: string }[];
  }
  export class Instrumenter {
    constructor(log: object);
    instrument(files: readonly object[], options: object): Promise<InstrumentResult>;
  }
}

declare module "sharp" {
  export default function sharp(image: Buffer): {
    png(options: object): { toBuffer(): Promise<Buffer> };
  };
}

declare module "rollup-plugin-visualizer" {
  export function visualizer(options: object): import("rollup").Plugin;
}
