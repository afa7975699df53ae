// Location: a point on the earth in degrees, with an optional altitude. The geodetic datum is up to the client.

import type { LocationValue } from '../../wire/values.ts';
import { readNumber } from './number.ts';
import { type JsonObject, member, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

export const locationType: ValueType<LocationValue> = {
  name: 'Location',
  members: ['latitude', 'longitude', 'altitude'],
  required: ['latitude', 'longitude'],
  sortable: false,
  read(input, { path }) {
    const members = readMembers(locationType, input, path);
    const latitude = readDegrees(members, { name: 'latitude', limit: 90, path });
    const longitude = readDegrees(members, { name: 'longitude', limit: 180, path });
    const altitude = member(members, 'altitude');
    if (altitude === undefined) return { type: 'Location', latitude, longitude };
    return { type: 'Location', latitude, longitude, altitude: readNumber(altitude, 'altitude', `${path}/altitude`) };
  },
};

function readDegrees(members: JsonObject, { name, limit, path }: { name: string; limit: number; path: string }) {
  const degrees = readNumber(required(members, name, path), name, `${path}/${name}`);
  if (degrees < -limit || degrees > limit) {
    throw new ValueProblem(`"${name}" must be from -${limit} to ${limit}; it is ${degrees}`, `${path}/${name}`);
  }
  return degrees;
}
