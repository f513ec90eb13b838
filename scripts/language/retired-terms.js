'use strict';

/**
 * Identifiers and phrases that the language guide retired, with what to write in their place. A group has one reason.
 * An identifier is matched as a whole word and with its capitals; a phrase in any case.
 */
module.exports = [
  {
    reason: 'a metaphor hides the standard term that an engineer searches for',
    identifiers: {
      isWeather: 'isTransientError',
      Passage: 'ReadWriteLock',
      withOthers: 'withSharedLock',
      InputPlaces: 'uploadLimiter, a Semaphore',
      FileSlots: 'a Semaphore named for what it limits',
      IntakeSlots: 'a Semaphore named for what it limits',
      LongFiles: 'a Semaphore named for what it limits',
      'Dut(?:y|ies)': 'LeaderTask, LeaderTasks',
      Upkeep: 'MaintenanceTask',
      ProcessBeat: 'ProcessHeartbeat',
      LocatingPace: 'GeocodingRate',
      ClusterManners: 'cluster connection options',
      NamelessClient: 'UnpreparedClient',
      toldToWait: 'applyRetryAfter',
      '[Mm]ade[- ]up': 'synthetic', // in capitals it is a street of the synthetic geocoder
    },
    phrases: {
      'keep(?:s|ing)? the clock': 'runs scheduled tasks as leader',
      'signs? of life': 'heartbeat',
    },
  },
  {
    reason: 'one name stood for several operations; each has its own verb',
    identifiers: {
      letGo: 'deletePendingAddresses, release or cancel',
      giveBack: 'releaseLease',
      putOff: 'deferRetry',
    },
  },
  {
    reason: 'the identifier names neither the actor nor the operation',
    identifiers: {
      AskedWork: 'OperatorRequestRunner',
      resolveStranger: 'resolvePublicHost',
      asStranger: 'asUnprivilegedUser',
      completeImpatient: 'completeTimedOut',
      SQL_IN_VAIN: 'ABANDONED_STATES',
      STORE_ANEW: 'UPSERT_REENRICHED',
      ITEMS_A_TURN: 'a batch size, ITEMS_PER_YIELD',
      'MOST_[A-Z]\\w*': 'MAX_…',
      'most[A-Z]\\w*': 'max…',
      '(?:FEWEST|LEAST)_[A-Z]\\w*': 'MIN_…',
      'Asked\\w*': 'the kind of request, RequestedAddress',
      'Located\\w+': 'geocoded, GeocodedAddress',
      '(?:with)?[Pp]atience\\w*': 'a timeout or retries',
      '\\w*Tally|tallied': 'counts',
    },
  },
  {
    reason: 'a sentence names its actor: the client, the operator, the worker',
    phrases: {
      "(?<!['`@/])nobody(?:'s\\b|(?!['`@]))": 'no client, no worker, null or unknown', // quoted, it is a system account
      "somebody(?:'s)?": 'a client, an operator, a donor',
      whoever: 'the client that, the process that',
      'done as asked': 'operator request completed',
    },
  },
  {
    reason: 'not in use in technical English',
    phrases: {
      anew: 'again',
      'in vain': 'without result',
      tally: 'counts',
    },
  },
];
