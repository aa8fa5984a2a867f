import { AsyncLocalStorage } from "node:async_hooks";

/** The attributes of a span. They never hold a person, a query, or a path that a caller chose. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** A piece of work with a beginning and an end, and its place in the trace. */
export interface Span {
  /** W3C trace context that names this span as the parent. */
  readonly traceparent: string;
  /** Begins a span within this one. */
  within(name: string, kind: "client" | "internal", attributes: SpanAttributes): Span;
  /** Ends the span, once. `hasFailed` marks the span as an error. */
  end(attributes?: SpanAttributes, hasFailed?: boolean): void;
}

/** Makes the span of each request. */
export interface Tracer {
  /** `traceparent` is the caller's, and is ignored unless it is well-formed. */
  request(name: string, traceparent: string | undefined, attributes: SpanAttributes): Span;
}

/** A tracer whose end sends the spans that are left. */
export interface Tracing extends Tracer, AsyncDisposable {}

const context = new AsyncLocalStorage<Span>();

/** Runs `work`. Its vendor calls and transactions, also after an `await`, become spans within this span. */
export function withSpan<Result>(span: Span, work: () => Result): Result {
  return context.run(span, work);
}

/**
 * Begins a span within the current span. Undefined if there is none, because tracing is off or no request caused this
 * work.
 */
export function spanWithin(name: string, kind: "client" | "internal", attributes: SpanAttributes): Span | undefined {
  return context.getStore()?.within(name, kind, attributes);
}

/** Records `work` as a span within the current span, if there is one. */
export function asSpan<Result>(name: string, attributes: SpanAttributes, work: Promise<Result>): Promise<Result> {
  const span = spanWithin(name, "internal", attributes);
  if (span)
    work.then(
      () => span.end(),
      () => span.end({}, true),
    );
  return work;
}
