import { type BodySource, WrittenBody } from "./written-body.ts";

/** A date is never more than 60 seconds old when it is sent; the last of them is for the way to the socket. */
const REWRITTEN_AFTER = 59_000;
const UNSENDABLE_AFTER = 60_000;
const DATE_LENGTH = 24;

/** The body around its date. */
export interface Frame {
  readonly before: readonly Buffer[];
  readonly after: Buffer;
}

interface Edition {
  readonly date: number;
  readonly body: WrittenBody;
}

/** A body that says when it was written, and is written anew before that is too long ago. */
export class DatedBody implements BodySource {
  readonly etag: string;
  readonly size: number;
  readonly #frame: Frame;
  readonly #now: () => number;
  #edition: Edition | undefined;

  constructor(frame: Frame, etag: string, now: () => number) {
    this.etag = etag;
    this.#frame = frame;
    this.#now = now;
    this.size = [...frame.before, frame.after].reduce((size, part) => size + part.length, DATE_LENGTH);
  }

  body(): WrittenBody {
    const now = this.#now();
    const age = this.#edition === undefined ? Number.NaN : now - this.#edition.date;
    // A clock that was set back would otherwise keep a date of the future.
    if (!(age >= 0 && age < REWRITTEN_AFTER)) this.#edition = this.#write(now);
    return this.#edition!.body;
  }

  isSendable(body: WrittenBody): boolean {
    return body === this.#edition?.body && this.#now() - this.#edition.date <= UNSENDABLE_AFTER;
  }

  #write(date: number): Edition {
    const { before, after } = this.#frame;
    const bytes = Buffer.concat([...before, Buffer.from(new Date(date).toISOString()), after]);
    return { date, body: new WrittenBody(bytes, this.etag) };
  }
}
