import type { Coding, ReadyAnswer, ReadyForm } from "../../operation/ready-answer.ts";
import type { Freshness } from "./freshness.ts";
import type { BodySource, WrittenBody } from "./written-body.ts";

const freshness = "max-age=60, stale-if-error=600";

/** What the headers of an answer say about it. */
export interface Description {
  /** The revision that changed the list last. */
  readonly revision: number;
  /** When that was, in milliseconds since 1970. */
  readonly publishedAt: number;
  /** Open to anonymous callers: what they get may be kept by shared caches. */
  readonly open: boolean;
  readonly origin: Freshness;
}

type Forms = { [coding in Coding]?: ReadyForm | Promise<ReadyForm> };

/** A body under the headers of one revision. Each form is made on first use and then kept, as long as both are. */
export class Answer implements ReadyAnswer {
  readonly etag: string;
  readonly modifiedAt: number;
  readonly #source: BodySource;
  readonly #description: Description;
  #body: WrittenBody;
  #freshnessHeaders: readonly string[];
  #private: Forms = {};
  #public: Forms = {};

  constructor(source: BodySource, description: Description) {
    this.etag = source.etag;
    this.modifiedAt = wholeSecond(description.publishedAt);
    this.#source = source;
    this.#description = description;
    this.#body = source.body();
    this.#freshnessHeaders = description.origin.headers;
  }

  form(coding: Coding, shared: boolean): ReadyForm | Promise<ReadyForm> {
    const body = this.#source.body();
    const { headers } = this.#description.origin;
    if (body !== this.#body || headers !== this.#freshnessHeaders) {
      this.#body = body;
      this.#freshnessHeaders = headers;
      this.#private = {};
      this.#public = {};
    }
    const forms = shared && this.#description.open ? this.#public : this.#private;
    return forms[coding] ?? this.#make(coding, forms, shared);
  }

  #make(coding: Coding, forms: Forms, shared: boolean): ReadyForm | Promise<ReadyForm> {
    const body = this.#body;
    const isPublic = forms === this.#public;
    const keep = (bytes: Buffer, as: Coding): ReadyForm => {
      const form = this.#formOf(bytes, as, isPublic);
      forms[coding] = form;
      return form;
    };
    const compressed = coding === "identity" ? undefined : body.compressed(coding);
    if (compressed === undefined) return keep(body.bytes, "identity");
    const pending = compressed
      .then(
        (bytes) => () => keep(bytes, coding),
        // Out of memory, say: an answer that is not compressed is better than none.
        () => () => keep(body.bytes, "identity"),
      )
      .then((made) => (this.#source.isSendable(body) ? made() : this.form("identity", shared)));
    forms[coding] = pending;
    return pending;
  }

  #formOf(body: Buffer, coding: Coding, isPublic: boolean): ReadyForm {
    const { revision, publishedAt, open } = this.#description;
    const headers = ["Content-Type", "application/json; charset=utf-8", "Content-Length", String(body.length)];
    if (coding !== "identity") headers.push("Content-Encoding", coding);
    headers.push("ETag", this.etag, "Last-Modified", new Date(publishedAt).toUTCString());
    headers.push("Cache-Control", `${isPublic ? "public" : "private"}, ${freshness}`);
    headers.push("Vary", open ? "Authorization, Accept-Encoding" : "Accept-Encoding");
    headers.push("Duba-Catalogue-Revision", String(revision), ...this.#freshnessHeaders);
    headers.push("X-Content-Type-Options", "nosniff");
    return { body, headers };
  }
}

/** Milliseconds without a part of a second, which HTTP dates do not have. */
export function wholeSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
