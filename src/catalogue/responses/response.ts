import { type ContentEncoding, ReadyForm, type ReadyResponse } from "../../declare/answers/ready-response.ts";
import { Body, type Edition, type LaterBody } from "./body.ts";
import type { Freshness } from "./freshness.ts";

const cacheControl = "max-age=60, stale-if-error=600";

export interface Description {
  /** The last revision that changed the list. */
  readonly revision: number;
  /** When that revision was published, in milliseconds since 1970. */
  readonly publishedAt: number;
  /** Whether shared caches may keep the response to anonymous callers. */
  readonly open: boolean;
  readonly freshness: Freshness;
}

type Forms = { [encoding in ContentEncoding]?: ReadyForm | Promise<ReadyForm> };

/** A body with its headers. Each encoding is made on first use. */
export class Response implements ReadyResponse {
  readonly etag: string;
  readonly modifiedAt: number;
  readonly #description: Description;
  #body: Body | undefined;
  readonly #writing: Promise<void> | undefined;
  #edition: Edition | undefined;
  #freshnessHeaders: readonly string[];
  #private: Forms = {};
  #public: Forms = {};

  constructor(body: Body | LaterBody, description: Description) {
    this.etag = body.etag;
    this.modifiedAt = wholeSecond(description.publishedAt);
    this.#description = description;
    this.#freshnessHeaders = description.freshness.headers;
    if (body instanceof Body) {
      this.#body = body;
      return;
    }
    this.#writing = body.body.then((written) => {
      this.#body = written;
    });
    // Requests that wait for the body get the error.
    this.#writing.catch(() => undefined);
  }

  /** The body; undefined while it is being written. */
  get body(): Body | undefined {
    return this.#body;
  }

  form(encoding: ContentEncoding, shared: boolean): ReadyForm | Promise<ReadyForm> {
    const body = this.#body;
    if (body === undefined) return this.#writing!.then(() => this.form(encoding, shared));
    const edition = body.edition();
    const { headers } = this.#description.freshness;
    if (edition !== this.#edition || headers !== this.#freshnessHeaders) {
      this.#edition = edition;
      this.#freshnessHeaders = headers;
      this.#private = {};
      this.#public = {};
    }
    const isPublic = shared && this.#description.open;
    const forms = isPublic ? this.#public : this.#private;
    const known = forms[encoding];
    if (known) return known;
    const keep = (bytes: Buffer, as: ContentEncoding): ReadyForm => {
      const form = this.#formOf(bytes, as, isPublic);
      forms[encoding] = form;
      return form;
    };
    if (encoding === "identity" || !edition.isCompressible) return keep(edition.bytes, "identity");
    const compressed = edition.compressed(encoding);
    if (compressed === undefined) return this.form("identity", shared);
    if (Buffer.isBuffer(compressed)) return keep(compressed, encoding);
    const late = () => (body.isSendable(edition) ? undefined : this.form("identity", shared));
    const pending = compressed.then(
      (bytes) => late() ?? keep(bytes, encoding),
      // If compression fails, for example out of memory, an uncompressed response is better than none.
      () => late() ?? keep(edition.bytes, "identity"),
    );
    forms[encoding] = pending;
    return pending;
  }

  #formOf(body: Buffer, encoding: ContentEncoding, isPublic: boolean): ReadyForm {
    const { revision, publishedAt, open } = this.#description;
    const headers = ["Content-Type", "application/json; charset=utf-8", "Content-Length", String(body.length)];
    if (encoding !== "identity") headers.push("Content-Encoding", encoding);
    headers.push("ETag", this.etag, "Last-Modified", new Date(publishedAt).toUTCString());
    headers.push("Cache-Control", `${isPublic ? "public" : "private"}, ${cacheControl}`);
    headers.push("Vary", open ? "Authorization, Accept-Encoding" : "Accept-Encoding");
    headers.push("Duba-Catalogue-Revision", String(revision), ...this.#freshnessHeaders);
    headers.push("X-Content-Type-Options", "nosniff");
    return new ReadyForm(body, headers);
  }
}

/** HTTP dates have whole seconds. */
function wholeSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
