/**
 * Brings String.prototype back into V8's fast mode. A class that extends String (ioredis 6 has one) leaves it in the slow
 * one as soon as it is declared, and then every charCodeAt in the process is a hash lookup: parsing dates becomes nine
 * times as slow, a bulk request twice. A property read through an object that inherits from it makes V8 put it right.
 * To be called once all modules are loaded, in each process that reads many names.
 */
export function restoreFastStrings(): number {
  const heir = Object.create(String.prototype) as { charCodeAt: unknown };
  const read = (object: { charCodeAt: unknown }): unknown => object.charCodeAt;
  let reads = 0;
  while (reads < 1000 && read(heir) !== undefined) reads++; // more than an inline cache needs to be made
  return reads;
}
