/** Base of every error that carries a stable code. Messages name the thing and the value, never a key or a person. */
export abstract class DomainError extends Error {
  abstract readonly code: string;

  constructor(
    message: string,
    readonly values: Readonly<Record<string, string | number | boolean | null>> = {},
  ) {
    super(message);
    this.name = new.target.name;
  }
}
