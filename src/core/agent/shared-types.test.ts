import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { createSharedTypes } from './shared-types';

const text = { type: 'string' };
const place: JsonObject = { type: 'object', properties: { street_and_number: text, city_and_zip: text } };
const placeType = '{ street_and_number?, city_and_zip? }';
const named = (hint: string, schema: JsonObject = place) => ({ hint, schema });

/** The types of these schemas as they are written, with the declarations of all names. */
function written(...schemas: readonly { readonly hint: string; readonly schema: JsonObject }[]) {
  const types = createSharedTypes(schemas);
  const rendered = schemas.map((one) => types.render(one));
  const names = rendered.flatMap((one) => one.names);
  return { texts: rendered.map((one) => one.text), declared: types.declarations(names) };
}

describe('[DCL-types] types that several schemas have in common', () => {
  it.each<[readonly string[], string]>([
    [['address', 'address'], 'Address'],
    [['shipping_address', 'billing_address'], 'Address'],
    [['shippingAddress', 'billing-address', 'ADDRESS'], 'Address'],
    [['get_order', 'get_order'], 'Order'],
    [['getOrderLine', 'getOrderLine'], 'OrderLine'],
    [['get', 'get'], 'Get'],
    [['order_list', 'order_list'], 'OrderList'],
    [['from', 'to'], 'Shared'],
    [['2nd', '2nd'], 'Shared2nd'],
    [['error', 'error'], 'ErrorType'],
    [['map', 'map'], 'MapType'],
    [['first_order', 'second_order', 'order'], 'Order'],
    [['the_order_of_a', 'the_other_of_a'], 'OfA'],
  ])('are named after what their places have in common: %j', (hints, name) => {
    const { texts, declared } = written(...hints.map((hint) => named(hint)));
    expect(texts).toEqual(hints.map(() => name));
    expect(declared).toEqual([`type ${name} = ${placeType}`]);
  });

  it('have names of at most 40 characters', () => {
    const names = Array.from({ length: 9 }, (_, at) => [`member_number_${at}`, text]);
    const long = named('x'.repeat(60), {
      type: 'object',
      properties: Object.fromEntries(names) as JsonObject,
    });
    expect(written(long, long).texts).toEqual([`X${'x'.repeat(39)}`, `X${'x'.repeat(39)}`]);
  });

  it('are not named where they occur once or their place has no name', () => {
    expect(written(named('address'))).toEqual({ texts: [placeType], declared: [] });
    expect(written(named(''), named(''))).toEqual({ texts: [placeType, placeType], declared: [] });
    expect(written(named(''), named('address')).declared).toEqual([]);
  });

  it('are not named where the name would not save anything', () => {
    const short = { type: 'object', properties: { abc: text } };
    expect(written(named('a', short), named('a', short), named('a', short)).declared).toEqual([]);
    const long = 'a_rather_long_name_of_a_place';
    expect(written(named(long), named(long)).declared).toEqual([]);
    expect(written(named(long), named(long), named(long), named(long), named(long)).declared).toHaveLength(1);
  });

  it('have different names where they are different', () => {
    const other = { type: 'object', properties: { ...(place['properties'] as JsonObject), land: text } };
    const { texts } = written(...[place, other, place, other].map((schema) => named('address', schema)));
    expect(texts).toEqual(['Address', 'Address2', 'Address', 'Address2']);
  });

  it('are declared after those that they refer to, each once', () => {
    const order = {
      type: 'object',
      properties: { from_address: place, to_address: place, number_of_the_order: text },
    };
    const { texts, declared } = written(named('order', order), named('order', order), named('address'));
    expect(texts).toEqual(['Order', 'Order', 'Address']);
    expect(declared).toEqual([
      `type Address = ${placeType}`,
      'type Order = { from_address?: Address, to_address?: Address, number_of_the_order? }',
    ]);
  });

  it('are not named inside a type that is itself named and written once', () => {
    const outer = { type: 'object', properties: { address: place } };
    const { texts, declared } = written(named('customer', outer), named('customer', outer));
    expect(texts).toEqual(['Customer', 'Customer']);
    expect(declared).toEqual([`type Customer = { address?: ${placeType} }`]);
  });

  it('that nobody declared have no declaration', () => {
    expect(createSharedTypes([named('address'), named('address')]).declarations(['Address', 'X'])).toEqual(
      [],
    );
  });
});
