/** Check digits of numbers that registries and banks give out, each of a value without its separators. */

export function createWeightedCheck(weights: readonly number[], modulus: number): (value: string) => boolean {
  return (value) => {
    if (value.length !== weights.length) return false;
    return weights.reduce((sum, weight, at) => sum + weight * Number(value[at]), 0) % modulus === 0;
  };
}

export function isValidLuhn(value: string): boolean {
  let sum = 0;
  for (let at = 0; at < value.length; at++) {
    const digit = Number(value[value.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** ISO 7064, MOD 11,10. */
export function isGermanTaxId(value: string): boolean {
  let product = 10;
  for (const digit of value.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(value[10]);
}

export function isSpanishId(value: string): boolean {
  const number = value.toUpperCase().replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return /^\d{8}[A-Z]$/.test(number) && 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number.slice(0, 8)) % 23] === number[8];
}

export function isBrazilianId(value: string): boolean {
  if (/^(\d)\1+$/.test(value)) return false;
  return [9, 10].every((count) => {
    const sum = Array.from({ length: count }, (_, at) => Number(value[at]) * (count + 1 - at)).reduce(
      (a, b) => a + b,
      0,
    );
    return ((sum * 10) % 11) % 10 === Number(value[count]);
  });
}

/** The number and its two check digits together make a multiple of 97. */
export function isFrenchId(value: string): boolean {
  return /^[12]/.test(value) && 97 - (Number(value.slice(0, 13)) % 97) === Number(value.slice(13));
}

/** ISO 7064, MOD 11-2. */
export function isChineseId(value: string): boolean {
  const sum = Array.from({ length: 17 }, (_, at) => Number(value[at]) * (2 ** (17 - at) % 11)).reduce(
    (a, b) => a + b,
    0,
  );
  return '10X98765432'[sum % 11] === value[17]?.toUpperCase();
}

/** Verhoeff's check digit: by multiplication in the group of a pentagon's symmetries. */
export function isValidVerhoeff(value: string): boolean {
  const product = (a: number, b: number) => {
    if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
    return b < 5 ? 5 + ((((a - b) % 5) + 5) % 5) : (a - b + 5) % 5;
  };
  let check = 0;
  for (let at = 0; at < value.length; at++) {
    let digit = Number(value[value.length - 1 - at]);
    for (let turn = 0; turn < at % 8; turn++) digit = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4][digit] ?? 0;
    check = product(check, digit);
  }
  return check === 0;
}
