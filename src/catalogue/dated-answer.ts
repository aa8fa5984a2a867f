import type { Coding, ReadyAnswer, ReadyForm } from "../contract/ready.ts";
import { type Description, WrittenAnswer } from "./written-answer.ts";

/** A date is never more than 60 seconds old when it is sent; the last of them is for the way to the socket. */
const REWRITTEN_AFTER = 59_000;
const UNSENDABLE_AFTER = 60_000;

/** The body around its date. */
export interface Frame {
  readonly before: readonly Buffer[];
  readonly after: Buffer;
}

interface Edition {
  readonly date: number;
  readonly answer: WrittenAnswer;
}

/** An answer that says when it was written, and is written anew before that is too long ago. */
export class DatedAnswer implements ReadyAnswer {
  readonly etag: string;
  readonly #frame: Frame;
  readonly #description: Description;
  readonly #now: () => number;
  #edition: Edition;

  constructor(frame: Frame, description: Description, now: () => number) {
    this.etag = description.etag;
    this.#frame = frame;
    this.#description = description;
    this.#now = now;
    this.#edition = this.#write();
  }

  form(coding: Coding, shared: boolean): ReadyForm | Promise<ReadyForm> {
    const age = this.#now() - this.#edition.date;
    // A clock that was set back would otherwise keep a date of the future.
    if (age >= REWRITTEN_AFTER || age < 0) this.#edition = this.#write();
    const { date, answer } = this.#edition;
    const form = answer.form(coding, shared);
    return form instanceof Promise ? this.#inTime(date, form, shared) : form;
  }

  async #inTime(date: number, pending: Promise<ReadyForm>, shared: boolean): Promise<ReadyForm> {
    const form = await pending;
    return this.#now() - date <= UNSENDABLE_AFTER ? form : this.form("identity", shared);
  }

  #write(): Edition {
    const { before, after } = this.#frame;
    const date = this.#now();
    const body = Buffer.concat([...before, Buffer.from(new Date(date).toISOString()), after]);
    return { date, answer: new WrittenAnswer(body, this.#description) };
  }
}
