import { LRUCache } from "lru-cache";
import type { Coding, ReadyAnswer, ReadyForm } from "../../operation/ready-answer.ts";
import { Answer, type Description, wholeSecond } from "./response.ts";
import type { BodySource } from "./written-body.ts";

/** Bytes of bodies that are kept for accounts with prices of their own, all of them together. */
const KEPT_BYTES = 64 * 2 ** 20;
/** What a body takes: its parts, the body that is put together of them, compressed forms. */
const COST_PER_BYTE = 2.5;
const COST_PER_ENTRY = 2_000;

interface Kept {
  /** What it was made from. */
  readonly parts: readonly unknown[];
  readonly answer: ReadyAnswer;
}

/** A body that is still to be written, as far as it is known. */
interface Later {
  readonly etag: string;
  /** About. */
  readonly size: number;
  readonly body: Promise<BodySource>;
}

/**
 * Answers to accounts with prices of their own, whatever the number of accounts: those asked for last are kept. They outlive
 * revisions that change nothing of what they were made from.
 */
export class OwnAnswers {
  readonly #kept: LRUCache<string, Kept>;

  constructor(keptBytes: number = KEPT_BYTES) {
    this.#kept = new LRUCache({ maxSize: keptBytes });
  }

  /** Bytes that are kept at the moment, as they are counted. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** The answer of this name, if it was made from these parts; otherwise one that is written now. */
  answer(
    name: string,
    parts: readonly unknown[],
    describe: () => Description,
    write: () => BodySource | Later,
  ): ReadyAnswer {
    const known = this.#kept.get(name);
    if (known?.parts.every((part, at) => part === parts[at])) return known.answer;
    const made = write();
    const answer =
      "body" in made && made.body instanceof Promise
        ? new LaterAnswer(made.etag, made.body, describe())
        : new Answer(made as BodySource, describe());
    const size = Math.ceil(made.size * COST_PER_BYTE) + COST_PER_ENTRY;
    this.#kept.set(name, { parts, answer }, { size });
    return answer;
  }
}

/** An answer whose body is still being written when it is first asked for. */
class LaterAnswer implements ReadyAnswer {
  readonly etag: string;
  readonly modifiedAt: number;
  readonly #making: Promise<Answer>;
  #answer: Answer | undefined;

  constructor(etag: string, source: Promise<BodySource>, description: Description) {
    this.etag = etag;
    this.modifiedAt = wholeSecond(description.publishedAt);
    this.#making = source.then((body) => {
      this.#answer = new Answer(body, description);
      return this.#answer;
    });
    // Told to those who wait for it.
    this.#making.catch(() => undefined);
  }

  form(coding: Coding, shared: boolean): ReadyForm | Promise<ReadyForm> {
    return this.#answer
      ? this.#answer.form(coding, shared)
      : this.#making.then((answer) => answer.form(coding, shared));
  }
}
