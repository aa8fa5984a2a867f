import type { KeptHead } from "../../audit/chain/chain.ts";
import type { Form } from "../../declare/command/forms.ts";

/** A head as people copy it: the number of a batch and the hash of its seal. */
export const keptHead: Form<KeptHead> = {
  form: "a head that `duba audit tail` or `duba audit verify` printed",
  read: (text) => {
    const [, batch, hash] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
    return batch === undefined || hash === undefined ? undefined : { batch: Number(batch), hash };
  },
};

/** Writes a head as people copy it. Null before the first seal. */
export function headText(head: KeptHead | null): string | null {
  return head === null || head.batch === 0 ? null : `${head.batch}:${head.hash}`;
}
