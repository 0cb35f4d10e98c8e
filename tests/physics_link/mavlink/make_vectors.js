// SPDX-License-Identifier: Apache-2.0
// Writes vectors.jsonl: MAVLink frames as an independent implementation makes them, one JSON object a line.
//   npm install node-mavlink@2.3.0 mavlink-mappings@1.0.21-20250824-1 && node make_vectors.js > vectors.jsonl
const { MavLinkProtocolV1, MavLinkProtocolV2 } = require('node-mavlink')
const { minimal, common } = require('mavlink-mappings')

const messages = [
  [minimal.Heartbeat, { customMode: 7, type: 2, autopilot: 3, baseMode: 81, systemStatus: 4, mavlinkVersion: 3 }],
  [common.GlobalPositionInt,
    { timeBootMs: 123456, lat: 473977418, lon: 85455939, alt: 488123, relativeAlt: 10250, vx: 120, vy: -340, vz: -5, hdg: 9000 }],
  [common.GlobalPositionInt,
    { timeBootMs: 1, lat: -337000001, lon: -1512000009, alt: -12345, relativeAlt: -5, vx: 0, vy: 0, vz: 0, hdg: 0 }],
  [common.LocalPositionNed, { timeBootMs: 99, x: 12.5, y: -3.25, z: -10.75, vx: 1, vy: 2, vz: 0 }],
  [common.Odometry,
    { timeUsec: 77n, x: 1.5, y: 2.5, z: -3.5, q: [1, 0, 0, 0], vx: 0.5, vy: 0, vz: 0, rollspeed: 0, pitchspeed: 0,
      yawspeed: 0.25, poseCovariance: Array(21).fill(0), velocityCovariance: Array(21).fill(0), frameId: 1,
      childFrameId: 8, resetCounter: 0, estimatorType: 0, quality: 0 }],
  [common.RadioStatus, { rxerrors: 513, fixed: 2, rssi: 130, remrssi: 99, txbuf: 100, noise: 46, remnoise: 45 }],
  [common.RadioStatus, { rxerrors: 0, fixed: 0, rssi: 0, remrssi: 0, txbuf: 0, noise: 0, remnoise: 0 }],
  [common.TimeSync, { tc1: 0n, ts1: 123456789012345n, targetSystem: 0, targetComponent: 0 }],
  [common.TimeSync, { tc1: 222n, ts1: 123456789012345n, targetSystem: 1, targetComponent: 1 }],
  [common.GpsGlobalOrigin, { latitude: 473977400, longitude: 85455900, altitude: 488000, timeUsec: 5n }],
  [common.HomePosition,
    { latitude: 473977410, longitude: 85455910, altitude: 488010, x: 1, y: 2, z: -0.5, q: [1, 0, 0, 0], approachX: 0,
      approachY: 0, approachZ: 0, timeUsec: 5n }],
  [common.HighLatency2,
    { timestamp: 123456, latitude: 473977418, longitude: -85455939, customMode: 3, altitude: 488, targetAltitude: 500,
      targetDistance: 12, wpNum: 2, failureFlags: 0, type: 2, autopilot: 12, heading: 45, targetHeading: 50, throttle: 40,
      airspeed: 0, airspeedSp: 0, groundspeed: 25, windspeed: 0, windHeading: 0, eph: 10, epv: 12, temperatureAir: 20,
      climbRate: 1, battery: 88, custom0: 0, custom1: 0, custom2: 0 }],
  [common.HighLatency,
    { baseMode: 81, customMode: 7, landedState: 2, roll: 120, pitch: -340, heading: 9000, throttle: 40, headingSp: 9100,
      latitude: -337000001, longitude: 1512000009, altitudeAmsl: -12, altitudeSp: 20, airspeed: 0, airspeedSp: 0,
      groundspeed: 5, climbRate: 1, gpsNsat: 14, gpsFixType: 3, batteryRemaining: 77, temperature: 30,
      temperatureAir: 20, failsafe: 0, wpNum: 3, wpDistance: 400 }]
]

const key = MavLinkProtocolV2 && require('node-mavlink').MavLinkPacketSignature.key('hilgate')
let seq = 250
for (const [clazz, fields] of messages) {
  for (const version of [1, 2]) {
    for (const signed of version === 2 ? [false, true] : [false]) {
      if (version === 1 && clazz.MSG_ID > 255) continue
      const message = Object.assign(new clazz(), fields)
      const protocol = version === 1 ? new MavLinkProtocolV1(42, 190)
        : new MavLinkProtocolV2(42, 190, signed ? MavLinkProtocolV2.IFLAG_SIGNED : 0)
      seq = (seq + 1) & 255
      let bytes = protocol.serialize(message, seq)
      if (signed) bytes = protocol.sign(bytes, 1, key, 1700000000000)
      const text = JSON.stringify(
        { message: clazz.MSG_NAME, id: clazz.MSG_ID, version, signed, seq, system: 42, component: 190, fields,
          hex: Buffer.from(bytes).toString('hex') },
        (_, value) => (typeof value === 'bigint' ? Number(value) : value))
      console.log(text)
    }
  }
}
