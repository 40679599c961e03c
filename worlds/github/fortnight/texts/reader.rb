# frozen_string_literal: true

require "strscan"

module Fortnight
  # Reads lengths of time as people write them.
  module Reader
    STOP = /[\s,]+/
    WORD = /[^\s\d,]+/

    # Reads a whole text; nil where a part of it says nothing.
    def self.read(text, words)
      scanner = StringScanner.new(text.strip.downcase)
      total = 0
      until scanner.eos?
        amount = number(scanner)
        unit = words[scanner.scan(WORD)]
        return nil unless amount && unit

        total += amount * Units::SECONDS.fetch(unit)
        scanner.skip(STOP)
      end
      Interval.new(total)
    end

    # Reads what can be read, and takes signs for blanks.
    def self.loose(text, words)
      read(text.gsub(/[^[:alnum:]\s.]/, " "), words)
    end

    def self.number(scanner)
      digits = scanner.scan(/\d+(\.\d+)?/)
      scanner.skip(STOP)
      digits&.to_r
    end
    private_class_method :number
  end
end
