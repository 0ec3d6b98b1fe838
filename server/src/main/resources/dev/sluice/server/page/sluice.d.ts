// Types of sluice.js.

/** The texts of a guard. `{time}` stands for the time that is left, such as "5 seconds". */
export interface GuardTexts {
  /** Said while the action runs. */
  busy?: string;
  /** Shown and said while the server wants us to wait. */
  wait?: string;
  /** Said when the button can be used again. */
  ready?: string;
}

export interface GuardOptions {
  /** Texts in place of the English or Chinese ones. */
  texts?: GuardTexts;
}

export interface Guard {
  /** Ends the guard: the button works as before. */
  remove(): void;
}

/**
 * Guards a button or a form: one click runs the action, further ones are dropped until it ends. If it ends in a response
 * that says when to come back (429 or 503 with Retry-After, 429 with RateLimit), until then, with a countdown.
 *
 * @throws TypeError if there is no such element, or the action is not a function
 */
export function guard(
  element: HTMLElement | null,
  action: (event: Event) => unknown,
  options?: GuardOptions,
): Guard;

export interface RetryOptions {
  /** How often a call is sent again at most, from 0 to 10. Default: 3. */
  retries?: number;
  /** The longest time to wait for, in milliseconds, up to an hour. Default: 30000. */
  maxWait?: number;
  /** The budget. Default: one that all calls of the page share. */
  budget?: RetryBudget;
}

/**
 * fetch, but what the server refuses for a while is sent again: after 429 or 503, when the server says, if the call can be
 * repeated (an idempotent method, or an Idempotency-Key; a body that is not a stream) and the budget allows.
 *
 * Fails with a RangeError if an option is out of its range.
 */
export function fetch(input: RequestInfo | URL, init?: RequestInit, options?: RetryOptions): Promise<Response>;

/** How many milliseconds the server wants us to wait; null if it does not say. */
export function retryAfter(response: Response): number | null;

/** Bounds the retries of all calls that share it: a few at once, and over time a share of the calls. */
export class RetryBudget {
  /**
   * @param retries how many retries it is good for when it is full. Default: 10
   * @param percent how many retries a hundred calls earn. Default: 10
   */
  constructor(retries?: number, percent?: number);

  /** How many retries are left. */
  readonly remaining: number;

  /** A call is made. */
  earn(): void;

  /** Whether there is a retry left, which is taken then. */
  take(): boolean;
}
